import type { Client } from './client.ts'
import type { CallOptions } from './options.ts'
import type { Schema } from './schema.ts'

/** A conversion to report, such as an order: its id, name and time, with the user who has it. */
export type ConversionEvent = Schema<'ReportConversionsBody'>['events'][number]

export const conversions = (client: Client) => ({
  /**
   * Reports up to 500 conversions. Gives a result for each, in the same order. An id counts once, so a report may be repeated, with the same times.
   */
  track: (events: ConversionEvent | readonly ConversionEvent[], options: CallOptions = {}) =>
    client.request<Schema<'ConversionsReported'>>('POST', '/v1/conversions', {
      ...options,
      body: { events: Array.isArray(events) ? events : [events] },
      repeatable: true,
    }),
  /** Reports a conversion of the user who owns a device. */
  trackOnDevice: (subscriptionId: string, event: Schema<'ReportConversionBody'>, options: CallOptions = {}) =>
    client.request<Schema<'ConversionReported'>>('POST', `/v1/subscriptions/${encodeURIComponent(subscriptionId)}/conversions`, {
      ...options,
      body: event,
      repeatable: true,
    }),
})
