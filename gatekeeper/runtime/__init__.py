"""The model: the only place of tokenizers and onnxruntime."""
