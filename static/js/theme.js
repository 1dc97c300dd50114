// Light or dark: the visitor's choice, or the system's. Loaded before the page is drawn,
// so that it never flashes in the wrong colours.
(function () {
  "use strict";
  const root = document.documentElement;
  const system = window.matchMedia("(prefers-color-scheme: dark)");

  function stored() {
    try {
      return window.localStorage.getItem("theme");
    } catch {
      return null; // Storage can be forbidden; the system's choice stands then.
    }
  }

  function remember(theme) {
    try {
      window.localStorage.setItem("theme", theme);
    } catch {
      // Nothing to do: the choice lasts until the page is left.
    }
  }

  function isDark() {
    return root.dataset.theme ? root.dataset.theme === "dark" : system.matches;
  }

  function announce() {
    document.querySelectorAll("[data-theme-toggle]").forEach((button) => {
      button.setAttribute("aria-pressed", String(isDark()));
    });
    document.dispatchEvent(new CustomEvent("themechange"));
  }

  root.dataset.js = "";
  const theme = stored();
  if (theme === "dark" || theme === "light") root.dataset.theme = theme;
  system.addEventListener("change", announce);

  document.addEventListener("DOMContentLoaded", () => {
    announce();
    document.querySelectorAll("[data-theme-toggle]").forEach((button) => {
      button.addEventListener("click", () => {
        root.dataset.theme = isDark() ? "light" : "dark";
        remember(root.dataset.theme);
        announce();
      });
    });
  });
})();
