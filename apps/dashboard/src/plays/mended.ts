/** Whether the failure of a play is over: its retry has ended well. Of later retries only the API knows. */
export const isMended = (retriedBy: { readonly state: string } | null | undefined): boolean =>
  retriedBy?.state === 'DONE' || retriedBy?.state === 'FILTERED';
