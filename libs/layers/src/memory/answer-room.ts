/** Room for an answer that arrives in pieces. */
export interface AnswerRoom {
  /**
   * Called before more is received.
   *
   * @param bytes that the call has
   * @returns a promise only where it has to wait; it rejects with a LayerFailure
   */
  reserve(bytes: number): Promise<void> | undefined;
  /** Nothing more arrives. */
  arrived(bytes: number): void;
}
