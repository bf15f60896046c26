// The URL, which is all state of the page: what screens read of it, and how they change it.

let moved = () => {}; // shows what the URL says

// onMove says what is called when another place is to be shown.
export function onMove(f) {
  moved = f;
}

// reload shows the place anew.
export const reload = () => moved();

export const path = (queue, screen, id) =>
  `/q/${encodeURIComponent(queue)}/${screen}${id === undefined ? '' : '/' + encodeURIComponent(id)}`;

// go shows another place.
export function go(to) {
  history.pushState(null, '', to);
  moved();
}

// parameters is the state of a screen.
export const parameters = () => Object.fromEntries(new URLSearchParams(location.search));

// setParameters changes some of them; empty ones leave the URL.
export function setParameters(changed, replace) {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changed)) {
    if (value === '' || value === undefined || value === null) query.delete(name);
    else query.set(name, value);
  }
  const to = location.pathname + (query.size ? '?' + query : '');
  history[replace ? 'replaceState' : 'pushState'](null, '', to);
}
