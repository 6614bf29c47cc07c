import { useQuery } from '@tanstack/react-query';
import { memo, useMemo } from 'react';
import { versionQuery, type PlayLayer } from '../play/queries';
import type { Play } from '../plays/play';
import { stateNotes } from './notes';
import { Picture } from './picture';
import { PicturePanel } from './picture-panel';

interface PlayPictureProps {
  readonly play: Pick<Play, 'flowId' | 'version'>;
  readonly layers: readonly PlayLayer[];
  readonly chosen: string | undefined;
  readonly onChoose: (ref: string) => void;
}

/** The version that the play follows, coloured by what its layers do. */
export const PlayPicture = memo(function PlayPicture({ play, layers, chosen, onChoose }: PlayPictureProps) {
  const { data: version } = useQuery(versionQuery(play.flowId, play.version));
  const notes = useMemo(() => stateNotes(layers), [layers]);
  if (!version?.layers) return null;
  return (
    <PicturePanel>
      <Picture label="Picture of the play" layers={version.layers} notes={notes} chosen={chosen} onChoose={onChoose} />
    </PicturePanel>
  );
});
