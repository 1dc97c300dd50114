// Keeps a submission's page up to date: asks what is new, and takes over the parts that changed.
// Without this there is a link that loads the page anew.
(function () {
  "use strict";
  const live = document.querySelector("[data-events]");
  const told = document.querySelector("[data-told]");
  const FIRST = 1000;
  const SLOWEST = 5000;
  let after = Number(live.dataset.after);
  let etag = "";
  let wait = FIRST;
  let timer = 0;
  let finished = live.dataset.finished === "yes";

  function carryRevision(from, to) {
    const revision = from.querySelector("input[name=revision]");
    if (!revision) return;
    to.querySelectorAll("input[name=revision]").forEach((input) => { input.value = revision.value; });
  }

  function takeOver(page) {
    live.querySelectorAll("[data-part]").forEach((part) => {
      const fresh = page.querySelector(`[data-part="${part.dataset.part}"]`);
      if (!fresh || fresh.innerHTML === part.innerHTML) return;
      // What somebody has under the keyboard stays; only what it would send is renewed.
      if (part.contains(document.activeElement)) carryRevision(fresh, part);
      else part.replaceChildren(...document.importNode(fresh, true).childNodes);
    });
  }

  async function refresh() {
    const response = await fetch(window.location.href, { headers: { Accept: "text/html" } });
    if (!response.ok) throw new Error(String(response.status));
    takeOver(new DOMParser().parseFromString(await response.text(), "text/html"));
  }

  async function ask() {
    const headers = etag ? { "If-None-Match": etag } : {};
    const response = await fetch(`${live.dataset.events}?after=${after}`, { headers });
    if (response.status === 304) return false;
    if (!response.ok) throw new Error(String(response.status));
    const first = !etag;
    etag = response.headers.get("ETag") || "";
    const news = await response.json();
    const changed = news.events.length > 0 || !first;
    after = news.last;
    finished = news.finished;
    if (changed) {
      await refresh();
      if (told.textContent !== news.summary) told.textContent = news.summary;
    }
    return changed;
  }

  async function turn() {
    let changed = false;
    try {
      changed = await ask();
    } catch {
      etag = ""; // The site may be restarting; it is asked again.
    }
    wait = changed ? FIRST : Math.min(SLOWEST, wait * 1.5);
    plan();
  }

  function plan() {
    window.clearTimeout(timer);
    if (!finished && !document.hidden) timer = window.setTimeout(turn, wait);
  }

  document.addEventListener("visibilitychange", () => {
    wait = FIRST;
    plan();
  });
  live.dataset.live = "";
  plan();
})();
