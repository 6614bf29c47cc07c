import { useLocalStorage } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Icon } from '../ui/icon';
import classes from './picture.module.css';

interface PicturePanelProps {
  /** Beside the title. */
  readonly note?: ReactNode;
  readonly children: ReactNode;
}

/** A picture that somebody may fold away; the browser remembers it. */
export function PicturePanel({ note, children }: PicturePanelProps) {
  const [isOpen, setOpen] = useLocalStorage({
    key: 'weft-picture',
    defaultValue: true,
    getInitialValueInEffect: false,
  });
  return (
    <section className={`panel ${classes.panel}`} aria-label="Picture">
      <div className={classes.head}>
        <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon name="chevron" size={13} /> Picture
        </button>
        {isOpen && note}
      </div>
      {isOpen && children}
    </section>
  );
}
