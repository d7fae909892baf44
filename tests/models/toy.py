"""A tokenizer of twenty words and pairs of them."""

from pathlib import Path

from tokenizers import Tokenizer, models, pre_tokenizers, processors

from models.pairs import Pair

WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", *(f"w{n}" for n in range(16)))


def write_tokenizer(path: Path) -> None:
    """Write a tokenizer that knows ``WORDS``, with BERT's template."""
    vocabulary = {word: number for number, word in enumerate(WORDS)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token=WORDS[1]))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    tokenizer.save(str(path))


def toy_pairs(number: int) -> list[Pair]:
    """Return pairs whose premises have two lengths."""
    labels = ("entailment", "neutral", "contradiction", "not_entailment")
    return [
        Pair(
            premise=" ".join(f"w{(n * k) % 16}" for k in range(40 if n % 3 else 6)),
            hypothesis=f"w{n % 16} w{n % 7}",
            label=labels[n % 4],
            source="toy",
            kind="" if n % 2 else "odd",
            group=str(n),
        )
        for n in range(number)
    ]
