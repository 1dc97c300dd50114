// Handing in a file with a progress bar. The form works without this; with it the page stays,
// and with it the chosen file, so that a dry run can be followed by the real thing.
(function () {
  "use strict";
  const form = document.querySelector("[data-submit]");
  const answer = document.querySelector("[data-answer]");
  const drop = form.querySelector("[data-drop]");
  const input = form.querySelector("input[type=file]");
  const box = form.querySelector("[data-sending-box]");
  const bar = box.querySelector("progress");
  const told = box.querySelector("[role=status]");
  const buttons = form.querySelectorAll("button:not([data-abort])");
  let request = null;

  function sending(on) {
    box.hidden = !on;
    buttons.forEach((button) => { button.disabled = on; });
    bar.value = 0;
    told.textContent = "";
  }

  function say(text) {
    const message = document.createElement("div");
    message.className = "message message-error";
    message.setAttribute("role", "alert");
    message.append(Object.assign(document.createElement("p"), { textContent: text }));
    answer.replaceChildren(message);
  }

  function onProgress(event) {
    if (!event.lengthComputable) return;
    const percent = Math.floor((100 * event.loaded) / event.total);
    bar.value = percent;
    const text = percent < 100 ? form.dataset.sending.replace("%s", percent) : form.dataset.reading;
    // Every tenth percent is enough for who listens to it.
    if (percent % 10 === 0 && told.textContent !== text) told.textContent = text;
  }

  // The server answers with a page: another address is the submission, the same one has
  // what was understood, or what is wrong.
  function onAnswer() {
    sending(false);
    if (request.responseURL && new URL(request.responseURL).pathname !== window.location.pathname) {
      window.location.assign(request.responseURL);
      return;
    }
    const page = new DOMParser().parseFromString(request.responseText, "text/html");
    const found = page.querySelector("[data-answer]");
    if (!found) {
      say(request.status === 413 ? form.dataset.tooLarge : form.dataset.failed);
      return;
    }
    answer.replaceChildren(...document.importNode(found, true).childNodes);
    form.querySelectorAll("input, select").forEach((field) => {
      const other = page.getElementById(field.id);
      if (!field.id || !other) return;
      field.toggleAttribute("aria-invalid", false);
      if (other.hasAttribute("aria-invalid")) field.setAttribute("aria-invalid", "true");
      field.parentElement.classList.toggle("field-bad", other.hasAttribute("aria-invalid"));
    });
    answer.focus();
    answer.scrollIntoView({ block: "start" });
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const data = new FormData(form);
    if (event.submitter && event.submitter.name) data.append(event.submitter.name, "1");
    request = new XMLHttpRequest();
    request.open("POST", form.action);
    request.upload.addEventListener("progress", onProgress);
    request.addEventListener("load", onAnswer);
    request.addEventListener("abort", () => sending(false));
    request.addEventListener("error", () => { sending(false); say(form.dataset.failed); });
    sending(true);
    request.send(data);
  });
  box.querySelector("[data-abort]").addEventListener("click", () => request && request.abort());

  // Dropping on the whole field, and not on the small input alone.
  drop.querySelector("[data-drop-words]").hidden = false;
  ["dragenter", "dragover"].forEach((name) => drop.addEventListener(name, (event) => {
    event.preventDefault();
    drop.classList.add("over");
  }));
  ["dragleave", "drop"].forEach((name) => drop.addEventListener(name, () => drop.classList.remove("over")));
  drop.addEventListener("drop", (event) => {
    if (event.target === input || !event.dataTransfer.files.length) return;
    event.preventDefault();
    const one = new DataTransfer();
    one.items.add(event.dataTransfer.files[0]);
    input.files = one.files;
  });
})();
