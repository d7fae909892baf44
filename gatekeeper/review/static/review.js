// Keys and marking by selection. The page works without: all of it is plain forms and links.
"use strict";

const form = document.getElementById("main");
const missed = document.getElementById("missed");
const told = document.getElementById("told");

// Offsets of the stored text count code points, those of a page UTF-16 units.
const points = (text) => Array.from(text).length;

// Where in the stored text a place of the page stands; null outside of the answers.
const placeOf = (node, offset) => {
  const element = node.nodeType === Node.TEXT_NODE ? node.parentElement : node;
  const answer = element.closest("[data-base]");
  if (!answer) return null;
  const base = Number(answer.dataset.base);
  const piece = element.closest("[data-at]");
  if (piece && node.nodeType === Node.TEXT_NODE) {
    const at = base + Number(piece.dataset.at);
    if (piece.classList.contains("sign")) return at + (offset > 0 ? 1 : 0);
    return at + points(node.data.slice(0, offset));
  }
  // Between pieces, or in the number of a claim: where the next piece begins.
  const pieces = Array.from(answer.querySelectorAll("[data-at]"));
  const range = document.createRange();
  range.setStart(node, offset);
  const next = pieces.find((one) => range.comparePoint(one, 0) >= 0);
  if (next) return base + Number(next.dataset.at);
  const last = pieces[pieces.length - 1];
  if (!last) return base;
  const length = last.classList.contains("sign") ? 1 : points(last.textContent);
  return base + Number(last.dataset.at) + length;
};

const selected = () => {
  const selection = document.getSelection();
  if (!selection || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0);
  const start = placeOf(range.startContainer, range.startOffset);
  const end = placeOf(range.endContainer, range.endOffset);
  return start !== null && end !== null && start < end ? `${start}-${end}` : null;
};

const mark = () => {
  const range = selected();
  if (range) {
    missed.value = `${missed.value} ${range}`.trim();
    told.textContent = `marked ${range}`;
    return;
  }
  const sentences = document.getElementById("sentences");
  if (!sentences) return missed.focus();
  sentences.open = true;
  (sentences.querySelector("input") ?? missed).focus();
};

const press = (control) => {
  if (control.matches("textarea, input[type=text]")) control.focus();
  else control.click();
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
  const target = event.target;
  const writes = target.matches("textarea, input:not([type=radio], [type=checkbox])");
  if (writes) {
    if (event.key === "Escape") target.blur();
    return;
  }
  if (event.key === "Enter") {
    if (!form || target.matches("a, button, summary")) return;
    event.preventDefault();
    form.requestSubmit();
  } else if (event.key === "m" && missed) {
    event.preventDefault();
    mark();
  } else {
    const control = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
    if (!control) return;
    event.preventDefault();
    press(control);
  }
});
