import { Modal, type ModalProps } from '@mantine/core';
import { useEffect, useState } from 'react';

/** A window over the page that is made when it is needed. When it goes, the focus is where it was before. */
export function Dialog(props: Omit<ModalProps, 'opened'>) {
  useFocusBack();
  return <Modal opened {...props} />;
}

/** Mantine gives the focus back only for a modal that stays mounted while it is closed. */
function useFocusBack(): void {
  // read while it is drawn for the first time: a menu that it was chosen from is gone with the same change of the page
  const [from] = useState(() => openerOf(document.activeElement));
  useEffect(
    () => () => {
      // after the page has been drawn without the dialog: nothing has the focus then
      setTimeout(() => {
        if (document.activeElement === document.body) from?.focus({ preventScroll: true });
      });
    },
    [from],
  );
}

/** For an item of a menu: the menu's button. */
function openerOf(active: Element | null): HTMLElement | null {
  const button = active?.closest('[role=menu]')?.getAttribute('aria-labelledby');
  const opener = button ? document.getElementById(button) : active;
  return opener instanceof HTMLElement ? opener : null;
}
