const FIELD = 'input, textarea, select, [contenteditable=true]';

/** Less of something says nothing. */
const MIN_SHOWN_PX = 160;

/** Puts the focus into the field of the layer that is shown, or into the nearest thing around it. */
export function goToField(field: string): void {
  // the form of another layer is not there yet
  requestAnimationFrame(() => {
    const panel = document.querySelector('[data-layer-panel]');
    if (!panel) return;
    const parts = field === '' ? [] : field.split('.');
    for (let length = parts.length; length > 0; length -= 1) {
      const place = panel.querySelector<HTMLElement>(`[data-path="${CSS.escape(parts.slice(0, length).join('.'))}"]`);
      if (place) return show(place);
    }
    show(panel as HTMLElement);
  });
}

function show(place: HTMLElement): void {
  place.scrollIntoView({ block: 'nearest' });
  const inside = place.querySelector<HTMLElement>(FIELD) ?? place.querySelector('button');
  const target = place.matches(`${FIELD}, button`) ? place : inside;
  target?.focus({ preventScroll: true });
}

/** On a narrow screen the form is below the list. */
export function showPanel(): void {
  requestAnimationFrame(() => {
    const panel = document.querySelector('[data-layer-panel]');
    if (panel && panel.getBoundingClientRect().top > innerHeight - MIN_SHOWN_PX) panel.scrollIntoView();
  });
}

/** And what is docked is below that. */
export function showDock(): void {
  requestAnimationFrame(() => {
    const dock = document.querySelector('[data-dock]');
    if (dock && dock.getBoundingClientRect().top > innerHeight - MIN_SHOWN_PX) dock.scrollIntoView();
  });
}
