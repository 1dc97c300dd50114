// Draws the charts of a page. Plotly is fetched only when one comes near the viewport;
// until then, and without JavaScript, the table of numbers below each chart says the same.
(function () {
  "use strict";
  const source = document.currentScript.dataset.plotly;
  const failedText = document.currentScript.dataset.failed;
  const still = window.matchMedia("(prefers-reduced-motion: reduce)");
  const drawn = new Set();
  let library = null;

  function loadPlotly() {
    library ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = source;
      script.onload = () => (window.Plotly ? resolve(window.Plotly) : reject(new Error("Plotly")));
      script.onerror = reject;
      document.head.append(script);
    });
    return library;
  }

  // Figures name colours as the style sheets do: "var(--end-f)".
  function resolveColours(value, styles) {
    if (typeof value === "string") {
      return value.replace(/var\((--[\w-]+)\)/g, (all, name) => styles.getPropertyValue(name).trim() || all);
    }
    if (Array.isArray(value)) return value.map((item) => resolveColours(item, styles));
    if (value && typeof value === "object") {
      return Object.fromEntries(
        Object.entries(value).map(([key, item]) => [key, resolveColours(item, styles)]),
      );
    }
    return value;
  }

  function axis(given, styles) {
    const line = styles.getPropertyValue("--line").trim();
    return { gridcolor: line, linecolor: line, zerolinecolor: line, automargin: true, ...given };
  }

  function themed(figure, box) {
    const styles = getComputedStyle(document.documentElement);
    const colour = (name) => styles.getPropertyValue(name).trim();
    const layout = resolveColours(figure.layout || {}, styles);
    Object.keys(layout).filter((key) => /^[xy]axis\d*$/.test(key)).concat(["xaxis", "yaxis"])
      .forEach((key) => { layout[key] = axis(layout[key], styles); });
    const base = {
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { family: getComputedStyle(document.body).fontFamily, size: 12, color: colour("--ink") },
      hoverlabel: { bgcolor: colour("--panel"), bordercolor: colour("--line-strong"), font: { color: colour("--ink") } },
      margin: { l: 48, r: 16, t: 16, b: 40 },
      height: box.clientHeight,
      autosize: true,
    };
    if (still.matches) base.transition = { duration: 0 };
    return { data: resolveColours(figure.data || [], styles), layout: { ...base, ...layout } };
  }

  function fail(chart) {
    chart.classList.add("chart-failed");
    chart.querySelector(".chart-box").textContent = failedText;
  }

  async function draw(chart) {
    const box = chart.querySelector(".chart-box");
    try {
      const figure = JSON.parse(chart.querySelector(".chart-data").textContent);
      const plotly = await loadPlotly();
      const { data, layout } = themed(figure, box);
      await plotly.react(box, data, layout, { responsive: true, displayModeBar: false, displaylogo: false });
      drawn.add(chart);
    } catch {
      fail(chart);
    }
  }

  function start() {
    const charts = document.querySelectorAll("[data-chart]");
    if (!("IntersectionObserver" in window)) return charts.forEach(draw);
    const observer = new IntersectionObserver(
      (entries) => entries.filter((entry) => entry.isIntersecting).forEach((entry) => {
        observer.unobserve(entry.target);
        draw(entry.target);
      }),
      { rootMargin: "200px" },
    );
    return charts.forEach((chart) => observer.observe(chart));
  }

  document.addEventListener("themechange", () => drawn.forEach(draw));
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
