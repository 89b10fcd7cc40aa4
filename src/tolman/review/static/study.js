// The time that is left for a question, told each second; at its end the page skips the question.
"use strict";

let timeShown = null;
let timeEnds = 0;
function lookAtTime() {
  const field = document.querySelector("[data-time-left]");
  if (!field) { timeShown = null; return; }
  if (field !== timeShown) {
    timeShown = field;
    timeEnds = performance.now() + 1000 * parseFloat(field.dataset.timeLeft);
  }
  const left = Math.ceil((timeEnds - performance.now()) / 1000);
  field.textContent = `${Math.max(left, 0)} s left`;
  const over = document.querySelector("form[data-time-over]");
  if (left <= 0 && over && !over.dataset.sent) {
    over.dataset.sent = "yes";
    over.requestSubmit();
  }
}
setInterval(lookAtTime, 250);
