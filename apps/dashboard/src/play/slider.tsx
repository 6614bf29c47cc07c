import { Button } from '@mantine/core';
import type { PlayFrame } from '@weft/contracts';
import { memo } from 'react';
import { frameText } from './journal';
import classes from './play.module.css';

interface SliderProps {
  readonly frames: readonly PlayFrame[];
  /** The frame that is shown; undefined is now. */
  readonly seq: number | undefined;
  readonly onChange: (seq: number | undefined) => void;
}

/** Goes back over the journal: the page then shows the play as it was. The address keeps the place. */
export const Slider = memo(function Slider({ frames, seq, onChange }: SliderProps) {
  const last = frames.at(-1)?.seq ?? 0;
  const at = Math.min(seq ?? last, last);
  const frame = frames.find((each) => each.seq === at);
  const text = frame ? frameText(frame) : '';
  return (
    <div className={`panel ${classes.slider}`} {...(seq !== undefined && { 'data-past': true })}>
      <input
        type="range"
        min={1}
        max={last}
        value={at}
        aria-label="Event of the play"
        aria-valuetext={`${at} of ${last}: ${text}`}
        onChange={(event) => {
          const next = Number(event.currentTarget.value);
          onChange(next === last ? undefined : next);
        }}
      />
      <div className={classes.sliderText}>
        <span>
          {seq === undefined ? `Now, after ${last} events. Drag to go back.` : `Event ${at} of ${last}: ${text}`}
        </span>
        {seq !== undefined && (
          <Button variant="light" size="compact-xs" onClick={() => onChange(undefined)}>
            Back to now
          </Button>
        )}
      </div>
    </div>
  );
});
