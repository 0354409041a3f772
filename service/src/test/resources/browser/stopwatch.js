// Times a page: until its first drawing, and from an event to the drawing of what it changes.
(() => {
  let controller = null;
  let text = null;
  const stopwatch = (window.stopwatch = { first: 0, update });

  // Two frames later what was drawn is on the screen.
  const painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));

  // The stream of events, with those of the test after the first.
  const fetched = window.fetch;
  window.fetch = async (path, options) => {
    const response = await fetched(path, options);
    if (!String(path).startsWith("v1/events")) {
      return response;
    }
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let whole = "";
    while (!whole.includes("\n\n")) {
      const { value, done } = await reader.read();
      if (done) {
        break;
      }
      whole += value;
    }
    text = whole.slice(0, whole.indexOf("\n\n"));
    const body = new ReadableStream({
      start(opened) {
        controller = opened;
        send(text);
        watchFirst();
      },
    });
    return new Response(body, { status: 200 });
  };

  function send(event) {
    controller.enqueue(new TextEncoder().encode(event + "\n\n"));
  }

  async function watchFirst() {
    while (!document.querySelector("canvas[data-tiles], .tile")) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await painted();
    stopwatch.first = performance.now();
  }

  let round = 0;

  // Every tenth GPU uses another amount of memory.
  async function update() {
    round++;
    const event = JSON.parse(text.split("\n").filter((line) => line.startsWith("data:")).map((line) => line.slice(5)).join("\n"));
    event.at = new Date(Date.parse(event.at) + round * 2000).toISOString();
    event.gpus = event.gpus.filter((_, i) => i % 10 === round % 10).map((gpu) => ({ ...gpu, used_bytes: (gpu.used_bytes ?? 0) + round * 2 ** 28 }));
    event.figures.memory_used_bytes += round * 2 ** 30;
    const line = "data:" + JSON.stringify(event);
    const wanted = new Date(event.at).toLocaleTimeString();
    await painted();
    const began = performance.now();
    send(line);
    while (!document.getElementById("state").textContent.includes(wanted)) {
      await new Promise((resolve) => setTimeout(resolve));
    }
    await painted();
    return performance.now() - began;
  }
})();
