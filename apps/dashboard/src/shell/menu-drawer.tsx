import { Drawer } from '@mantine/core';
import { Sidebar } from './sidebar';

/** The menu of narrow screens. */
export function MenuDrawer({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  return (
    <Drawer opened={isOpen} onClose={onClose} size={264} title="Menu" padding={0}>
      <Sidebar />
    </Drawer>
  );
}
