/**
 * The calls that services of this process answer, by subject. A body and its answer are the bytes that would travel over NATS, so the same contract,
 * limits and faults hold for both ways.
 */
export type LocalCalls = Map<string, (body: Uint8Array) => Promise<Uint8Array>>
