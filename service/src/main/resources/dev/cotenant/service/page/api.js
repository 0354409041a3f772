// Calls of the service, and its stream of events.

const TOKEN = "cotenant-token";
const AGAIN_MILLISECONDS = 3000;

// The token comes in the fragment, which is not sent to the server, and leaves the address at once,
// so that an address can be shared without it. It lasts as long as the tab.
export function takeToken() {
  const found = /^#(?:.*[?&])?token=([^&]+)/.exec(location.hash);
  if (found) {
    sessionStorage.setItem(TOKEN, decodeURIComponent(found[1]));
    const view = location.hash.replace(/^#token=.*$/, "#/").replace(/([?&])token=[^&]+&?/, "$1").replace(/[?&]$/, "");
    history.replaceState(null, "", location.pathname + view);
  }
}

function headers() {
  const token = sessionStorage.getItem(TOKEN);
  return token ? { Authorization: "Bearer " + token } : {};
}

export function get(path) {
  return call(path, "GET");
}

export async function call(path, method, body) {
  const request = { method, headers: { Accept: "application/json", ...headers() } };
  if (body !== undefined) {
    request.headers["Content-Type"] = "application/json";
    request.body = JSON.stringify(body);
  }
  const response = await fetch(path, request);
  if (!response.ok) {
    throw await failure(response, path);
  }
  return response.json();
}

async function failure(response, path) {
  const problem = await response.json().catch(() => ({}));
  const message = response.status === 401
    ? "this needs a token with the cluster-wide role viewer: add #token=… to the address of this page"
    : problem.detail ?? path + " answered " + response.status;
  return Object.assign(new Error(message), { status: response.status });
}

// Calls onOpen before the first event of every stream, onEvent for every event, onFailure with a
// message while there is none. A stream that ends is opened again.
export async function follow(path, onEvent, onFailure, onOpen) {
  for (;;) {
    try {
      const response = await fetch(path, { headers: { Accept: "text/event-stream", ...headers() } });
      if (!response.ok) {
        throw await failure(response, path);
      }
      onOpen();
      await read(response.body, onEvent);
    } catch (error) {
      onFailure(error.message);
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MILLISECONDS));
    }
  }
}

// [HTML Living Standard, 9.2.6]: fields of an event are lines, and an empty line ends it.
async function read(body, onEvent) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  const parts = [];
  for (;;) {
    const { value, done } = await reader.read();
    if (done) {
      return;
    }
    parts.push(value);
    if (!value.includes("\n")) {
      continue;
    }
    const events = parts.join("").split("\n\n");
    parts.length = 0;
    parts.push(events.pop());
    for (const event of events) {
      const lines = event.split("\n").filter((line) => line.startsWith("data:"));
      if (lines.length > 0) {
        onEvent(JSON.parse(lines.map((line) => line.slice(5)).join("\n")));
      }
    }
  }
}
