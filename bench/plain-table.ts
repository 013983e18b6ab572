/**
 * The opponent of the console's table: the same devices from the same API and the same stream, in one page that calls the DOM by hand. It draws
 * the rows in view, each with as many cells, and has nothing else of the console: no filters, no forms, no log, no reconnection.
 */
export const PLAIN_TABLE = `<!doctype html>
<html lang="en">
<title>Plain table</title>
<style>
  body { margin: 0; font: 16px sans-serif; }
  .rows-scroll { height: 700px; overflow: auto; }
  table { width: 100%; border-collapse: collapse; }
  tr.row { height: 52px; }
</style>
<h1>Devices</h1>
<div class="rows-scroll"><table><tbody></tbody></table></div>
<script type="module">
  const ROW = 52;
  const OVERSCAN = 8;
  const scroller = document.querySelector('.rows-scroll');
  const body = document.querySelector('tbody');
  const devices = [];
  const at = new Map();
  const rows = [];
  const space = [document.createElement('tr'), document.createElement('tr')];
  let isDue = false;
  const due = () => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      draw();
    });
  };
  function newRow() {
    const row = document.createElement('tr');
    row.className = 'row';
    for (let cell = 0; cell < 6; cell += 1) row.append(document.createElement('td'));
    return row;
  }
  function write(cell, text) {
    if (cell.textContent !== text) cell.textContent = text;
  }
  function draw() {
    const first = Math.max(0, Math.floor(scroller.scrollTop / ROW) - OVERSCAN);
    const last = Math.min(devices.length, Math.ceil((scroller.scrollTop + scroller.clientHeight) / ROW) + OVERSCAN);
    while (rows.length < last - first) rows.push(newRow());
    rows.length = last - first;
    space[0].style.height = first * ROW + 'px';
    space[1].style.height = (devices.length - last) * ROW + 'px';
    if (body.childElementCount !== rows.length + 2) body.replaceChildren(space[0], ...rows, space[1]);
    rows.forEach((row, index) => {
      const { name, device_type, vendor, state } = devices[first + index];
      const cells = row.children;
      write(cells[0], name);
      write(cells[1], device_type);
      write(cells[2], vendor);
      write(cells[3], state.online === false ? 'Unreachable' : state.charging ? 'Charging' : 'Idle');
      write(cells[4], state.power_w + ' W');
      write(cells[5], state.battery_soc === undefined ? '' : state.battery_soc + ' %');
    });
  }
  scroller.addEventListener('scroll', due);
  const stream = new EventSource('/events/stream');
  stream.addEventListener('device.state_changed', ({ data }) => {
    const { subject, data: { changes } } = JSON.parse(data);
    const device = devices[at.get(subject.vendor + '/' + subject.device)];
    if (device === undefined) return;
    for (const [field, { to }] of Object.entries(changes)) device.state[field] = to;
    due();
  });
  for (let path = '/devices?limit=1000'; path !== undefined; ) {
    const response = await fetch(path);
    for (const device of await response.json()) {
      at.set(device.vendor + '/' + device.id, devices.length);
      devices.push(device);
    }
    path = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
  }
  draw();
</script>
`;
