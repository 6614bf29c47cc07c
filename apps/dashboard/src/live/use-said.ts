import { useQueryClient } from '@tanstack/react-query';
import { parseJson } from '@weft/client';
import { CLOSE, type PlayFrame } from '@weft/contracts';
import { useEffect, useState } from 'react';
import { framesQuery } from '../play/queries';
import { saidAfter, type Said } from './said';

const AGAIN_MS = 2_000;
/** Coming back does not help. */
const ENDS: ReadonlySet<number> = new Set([CLOSE.complete, CLOSE.rightLost, CLOSE.playDeleted, CLOSE.sessionEnded]);

interface Hearing {
  readonly said: Said | null;
  /** Changes with each step that the layer begins. */
  readonly status: string;
}

const NOTHING: Hearing = { said: null, status: '' };

/** What a layer says at this moment: from the stream of its play, which is open only as long as the layer works and somebody looks. */
export function useSaid(playId: string, ref: string, isAtWork: boolean): Hearing {
  const queries = useQueryClient();
  const [heard, setHeard] = useState(NOTHING);
  useEffect(() => {
    if (!isAtWork) return;
    let socket: WebSocket | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const open = (): void => {
      // what is numbered is known: only what comes after it is wanted
      const known = queries.getQueryData(framesQuery(playId).queryKey) ?? [];
      const from = Math.max(0, ...known.map(({ seq }) => seq ?? 0)) + 1;
      const base = location.origin.replace(/^http/, 'ws');
      socket = new WebSocket(`${base}/ws/plays/${encodeURIComponent(playId)}?fromSeq=${from}`);
      socket.addEventListener('message', ({ data }) => {
        const frame = parseJson(String(data)) as PlayFrame;
        if (frame.type === 'layer_delta' && frame.data.ref === ref)
          setHeard(({ said, ...rest }) => ({ ...rest, said: saidAfter(said, frame.data) }));
        if (frame.type === 'layer_progress' && frame.data.ref === ref)
          setHeard((before) => ({ ...before, status: frame.data.status }));
      });
      socket.addEventListener('close', ({ code }) => {
        if (socket !== null && !ENDS.has(code)) timer = setTimeout(open, AGAIN_MS);
      });
    };
    open();
    return () => {
      clearTimeout(timer);
      const last = socket;
      socket = null;
      last?.close();
      setHeard(NOTHING);
    };
  }, [queries, playId, ref, isAtWork]);
  return heard;
}
