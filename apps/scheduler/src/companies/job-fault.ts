/** The job cannot be done, now or later. Its message is for the operator. */
export class JobFault extends Error {}
