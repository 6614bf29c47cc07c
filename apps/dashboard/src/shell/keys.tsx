import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useEffectEvent, useRef, useState } from 'react';
import { isElsewhere } from '../ui/is-elsewhere';
import { PALETTE_EVENT } from './open-palette';

const KeyboardSheet = lazy(async () => ({ default: (await import('./keyboard-sheet')).KeyboardSheet }));
const Palette = lazy(async () => ({ default: (await import('./palette/palette')).Palette }));

const PLACES = { o: '/overview', p: '/plays', f: '/flows', s: '/schedules', a: '/approvals', m: '/admin' } as const;
/** Between the two keys of a place. */
const PAIR_MS = 1_500;

const isPlace = (key: string): key is keyof typeof PLACES => Object.hasOwn(PLACES, key);

/** The keys of all pages, and what they open. */
export function Keys() {
  const [open, setOpen] = useState<'sheet' | 'palette' | null>(null);
  const pressedG = useRef(0);
  const navigate = useNavigate();
  const press = useEffectEvent((event: KeyboardEvent) => {
    const { key, timeStamp } = event;
    if (key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) {
      event.preventDefault();
      // over a dialog it would lead away from what is not saved
      if (document.querySelector('[role=dialog]') === null) setOpen('palette');
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isElsewhere(event)) return;
    const isPair = timeStamp - pressedG.current < PAIR_MS;
    if (key === '?') setOpen('sheet');
    else if (key === '/') focusOn(event, 'main [role=search] form input');
    else if (key === 'r') focusOn(event, 'main [aria-keyshortcuts=r]:enabled');
    else if (key === 'g') pressedG.current = timeStamp;
    else if (isPair && isPlace(key)) void navigate({ to: PLACES[key] });
    if (key !== 'g') pressedG.current = -PAIR_MS;
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => press(event);
    const show = (): void => setOpen('palette');
    addEventListener('keydown', listen);
    addEventListener(PALETTE_EVENT, show);
    return () => {
      removeEventListener('keydown', listen);
      removeEventListener(PALETTE_EVENT, show);
    };
  }, []);
  return (
    <Suspense>
      {open === 'sheet' && <KeyboardSheet onClose={() => setOpen(null)} />}
      {open === 'palette' && <Palette onClose={() => setOpen(null)} onKeys={() => setOpen('sheet')} />}
    </Suspense>
  );
}

/** What changes something is pressed by a second key. */
function focusOn(event: KeyboardEvent, selector: string): void {
  const found = document.querySelector<HTMLElement>(selector);
  if (!found) return;
  // the key is not typed into it
  event.preventDefault();
  found.focus();
  if (found instanceof HTMLInputElement) found.select();
}
