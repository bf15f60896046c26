// The server: JSON, and events that go on.

// Problem is what the server says is wrong: with the column of an expression, and what to do.
export class Problem extends Error {
  constructor(status, body) {
    super(body.error ?? `the server answers with status ${status}`);
    Object.assign(this, { status, column: body.column, caret: body.caret, hint: body.hint });
  }
}

async function check(answer) {
  if (answer.ok) return answer;
  if (answer.status === 401) location.assign('/login');
  throw new Problem(answer.status, await answer.json().catch(() => ({})));
}

const base = queue => queue === undefined ? '/api/v1' : `/api/v1/queues/${encodeURIComponent(queue)}`;

// url of a call; empty parameters are left out.
export function url(queue, call, parameters = {}) {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, v]) => v !== '' && v !== undefined && v !== null));
  return `${base(queue)}/${call}${query.size ? '?' + query : ''}`;
}

export async function get(queue, call, parameters, signal) {
  return (await check(await fetch(url(queue, call, parameters), { signal }))).json();
}

export async function binary(queue, call, parameters, signal) {
  return new Uint8Array(await (await check(await fetch(url(queue, call, parameters), { signal }))).arrayBuffer());
}

export async function send(method, queue, call, body) {
  return (await check(await fetch(url(queue, call), {
    method, body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' },
  }))).json();
}

// events calls take with each event, one after the other, until the server or signal ends them.
export async function events(queue, call, parameters, take, signal) {
  const answer = await check(await fetch(url(queue, call, parameters), { signal }));
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = (rest + value).split('\n\n');
    rest = parts.pop();
    for (const part of parts) {
      const data = part.split('\n').find(line => line.startsWith('data: '));
      if (data) await take(JSON.parse(data.slice(6)));
    }
  }
}
