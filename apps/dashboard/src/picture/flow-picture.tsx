import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useMemo } from 'react';
import { figuresKey, figuresQuery } from '../flow/figures/queries';
import { useReadAgain } from '../live/use-read-again';
import { may, useMe } from '../session/me';
import { useLatest } from '../ui/use-latest';
import { FIGURES } from '../shell/navigation';
import { figureNotes } from './notes';
import { Picture } from './picture';
import { PicturePanel } from './picture-panel';
import type { DrawnLayer } from './picture-model';

interface FlowPictureProps {
  readonly flowId: string;
  readonly layers: readonly (DrawnLayer & { readonly key: string })[];
  /** A key. */
  readonly chosen: string | undefined;
  readonly onChoose: (key: string) => void;
}

/** Stored every 5 s; see docs/figures.md. */
const FRESH_MS = 10_000;

/** The layers as they are edited, with what those that are saved did in the last day. */
export function FlowPicture({ flowId, layers, chosen, onChoose }: FlowPictureProps) {
  const mayRead = may(useMe(), ...FIGURES);
  const { data } = useQuery({ ...figuresQuery(flowId), enabled: mayRead });
  useReadAgain([figuresKey(flowId)], ({ play }) => mayRead && play?.flowId === flowId, FRESH_MS);
  // who types or chooses does not wait for it
  const drawn = useDeferredValue(layers);
  const chosenRef = useDeferredValue(layers.find(({ key }) => key === chosen)?.ref);
  const choose = useLatest((ref: string): void => {
    const layer = layers.find((each) => each.ref === ref);
    if (layer) onChoose(layer.key);
  });
  const notes = useMemo(() => figureNotes(data?.layers ?? []), [data]);
  return (
    <PicturePanel note={mayRead && <span className="soft">failures, median and 95th percentile of the last day</span>}>
      <Picture label="Picture of the flow" layers={drawn} notes={notes} chosen={chosenRef} onChoose={choose} />
    </PicturePanel>
  );
}
