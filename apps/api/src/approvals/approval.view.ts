import type { LayerWait, Play } from '@weft/engine';
import * as s from '../http/schema.js';

/** An approval that a play waits for now. */
export interface ApprovalView {
  readonly ref: string;
  /** Of an agent: the step that waits; null: the layer asks once. */
  readonly step: number | null;
  readonly message: string;
  readonly approvers: readonly string[];
  readonly since: string;
  readonly until: string | null;
  readonly onTimeout: string;
  readonly link: 'signed_in' | 'holder';
  readonly mayDecide: boolean;
  readonly approveUrl: string | null;
}

/** An open approval in the inbox of the company. */
export interface InboxView extends Omit<ApprovalView, 'approveUrl'> {
  readonly playId: string;
  readonly flowId: string;
  readonly flowName: string;
}

/** The status of the approval that a link is for. */
export type ApprovalStanding = 'not_yet' | 'open' | 'decided' | 'ended';

/** What the holder of a link sees; texts are null when the holder may not see them. */
export interface ApprovalLinkView {
  readonly standing: ApprovalStanding;
  readonly playId: string;
  readonly ref: string;
  readonly needsSignIn: boolean;
  readonly mayDecide: boolean;
  readonly decidesAs: string | null;
  readonly flow: string | null;
  readonly message: string | null;
  readonly until: string | null;
}

const ofAgent = { ...s.integerOrNull, description: 'Of an agent: the step that waits, which a decision names.' };

export const approvalListSchema = s.named(
  'OpenApprovals',
  s.object<{ items: ApprovalView[] }>({
    items: s.listOf(
      s.object<ApprovalView>({
        ref: s.text,
        step: ofAgent,
        message: s.text,
        approvers: s.listOf(s.text),
        since: s.time,
        until: s.timeOrNull,
        onTimeout: s.oneOf(['fail', 'approve', 'reject']),
        link: s.oneOf(['signed_in', 'holder']),
        mayDecide: s.flag,
        approveUrl: {
          ...s.textOrNull,
          description: 'For who may decide it; of a link `holder` it decides as the caller.',
        },
      }),
    ),
  }),
);

export const approvalLinkSchema = s.named(
  'ApprovalLink',
  s.object<ApprovalLinkView>({
    standing: s.oneOf(['not_yet', 'open', 'decided', 'ended']),
    playId: s.text,
    ref: s.text,
    needsSignIn: s.flag,
    mayDecide: s.flag,
    decidesAs: { ...s.textOrNull, description: 'E-mail address of who decides; null when that is not known.' },
    flow: s.textOrNull,
    message: s.textOrNull,
    until: s.timeOrNull,
  }),
);

export const inboxPageSchema = s.pageOf(
  'OpenApproval',
  s.named(
    'OpenApproval',
    s.object<InboxView>({
      playId: s.text,
      flowId: s.text,
      flowName: s.text,
      ref: s.text,
      step: ofAgent,
      message: s.text,
      approvers: s.listOf(s.text),
      since: s.time,
      until: s.timeOrNull,
      onTimeout: s.oneOf(['fail', 'approve', 'reject']),
      link: s.oneOf(['signed_in', 'holder']),
      mayDecide: s.flag,
    }),
  ),
);

/** What a wait for an approval asks, and whom. */
export function askedBy(wait: LayerWait): Omit<ApprovalView, 'mayDecide' | 'approveUrl'> {
  const { message = '', approvers = [], onTimeout = 'fail' } = wait.approval ?? {};
  const { ref, step = null, since, until } = wait;
  return {
    ...{ ref, step, message, approvers, since: since.toISOString(), until: until?.toISOString() ?? null, onTimeout },
    link: linkOf(wait),
  };
}

type Asking = Pick<Play, 'waits' | 'inbox'>;

/** The approvals that a play waits for, without those that have their answer. */
export function openApprovals({ waits, inbox }: Asking): LayerWait[] {
  return Object.values(waits ?? {}).filter(
    ({ kind, position }) => kind === 'approval' && !Object.hasOwn(inbox ?? {}, String(position)),
  );
}

export function linkOf(wait: LayerWait): 'signed_in' | 'holder' {
  return wait.approval?.link ?? 'signed_in';
}
