// Copy buttons beside commands. They appear only where the browser lets pages copy.
(function () {
  "use strict";
  if (!navigator.clipboard) return;
  document.querySelectorAll("[data-copy]").forEach((button) => {
    const told = button.querySelector("[data-copied]");
    button.hidden = false;
    button.addEventListener("click", async () => {
      const text = button.parentElement.querySelector("pre").textContent;
      try {
        await navigator.clipboard.writeText(text);
        told.textContent = told.dataset.copied;
        button.classList.add("copied");
        setTimeout(() => { told.textContent = ""; button.classList.remove("copied"); }, 2000);
      } catch {
        // The text can still be marked and copied by hand.
      }
    });
  });
})();
