// Swagger UI on top of the plain list of endpoints. It weighs 1.6 MB, so it comes when asked for.
(function () {
  "use strict";
  const box = document.querySelector("[data-swagger]");
  const button = box.querySelector("button");
  const failed = box.querySelector("[role=alert]");

  function loaded(element) {
    return new Promise((resolve, reject) => {
      element.onload = resolve;
      element.onerror = reject;
      document.head.append(element);
    });
  }

  function start() {
    window.SwaggerUIBundle({
      url: box.dataset.schema,
      dom_id: "#swagger-ui",
      presets: [window.SwaggerUIBundle.presets.apis],
      layout: "BaseLayout",
      supportedSubmitMethods: ["get"],
      // The validator is another site's; a badge of it would tell them who reads this page.
      validatorUrl: null,
    });
    button.parentElement.hidden = true;
  }

  button.addEventListener("click", () => {
    button.disabled = true;
    failed.hidden = true;
    const style = Object.assign(document.createElement("link"), {
      rel: "stylesheet",
      href: box.dataset.style,
    });
    const script = Object.assign(document.createElement("script"), { src: box.dataset.script });
    Promise.all([loaded(style), loaded(script)]).then(start, () => {
      button.disabled = false;
      failed.hidden = false;
    });
  });
  box.hidden = false;
})();
