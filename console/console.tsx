import { render } from 'preact';
import { Shell } from './app/shell.tsx';

const place = document.getElementById('console');
if (place !== null) {
  // What the page says until its script runs.
  place.replaceChildren();
  place.className = 'console-page';
  render(<Shell />, place);
}
