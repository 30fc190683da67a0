import { z } from 'zod'
import { line, ObjectId, ExternalId, Timestamp, Id } from './text.ts'

/*
 * Conversions: what a user did that a push may have caused, such as an order (spec: conversions/report). The app's backend or a device reports them.
 */

/** The most conversions that one request reports. */
export const mostConversions = 500
/** An app has at most this many different names of conversions, because each has counters of its own in every campaign. */
export const mostConversionNames = 50
/** With a public key names are made while the app has less than this many. */
export const mostOpenNames = 25
/** A conversion may be reported this long after it happened. Afterwards its id may be forgotten, and a repeat would count again. */
export const conversionLatestDays = 7
/** A clock of a device may be this far ahead. */
export const conversionAheadMinutes = 5

export const ConversionName = z
  .string()
  .regex(/^[a-z][a-z0-9_.]{0,63}$/, 'must begin with a small letter and hold at most 64 of a-z, 0-9, _ and .')
  .meta({ pattern: '^[a-z][a-z0-9_.]{0,63}$' })

const mostValue = 1e12
/** A number with at most 4 decimals, as people write it: `0.1`, not the binary fraction nearest to it. */
const Value = z
  .number()
  .min(-mostValue)
  .max(mostValue)
  .refine((value) => /^-?\d+(\.\d{1,4})?$/.test(String(value)), 'must have at most 4 decimals')
  .meta({ description: 'At most 4 decimals. Sums are exact.' })

const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))
/** The code of ISO 4217 for a value that is not money. A value without a currency is counted with it. */
export const noCurrency = 'XXX'
const Currency = z
  .string()
  .refine((code) => code === noCurrency || currencies.has(code), 'must be a currency code of ISO 4217, such as EUR')
  .meta({ pattern: '^[A-Z]{3}$' })

const conversion = {
  id: line(1, 128).meta({ description: 'The caller’s own id of it, such as an order’s number. An id counts once in an app.' }),
  name: ConversionName.meta({ description: 'What happened, such as `order`. An app has at most 50 names.' }),
  at: Timestamp.meta({
    description: 'When it happened: at most 7 days ago, and at most 5 minutes ahead. A repeat must carry the same time.',
  }),
  value: Value.optional(),
  currency: Currency.optional().meta({ description: 'The currency of `value`; without one the value is counted as `XXX`.' }),
  msgId: line(1, 256).optional().meta({ description: 'The push that led to it, where the app knows it.' }),
}

/** POST /v1/subscriptions/:id/conversions: a conversion of the user who owns the device. */
export const ReportConversion = z.strictObject(conversion)
export type ReportConversion = z.output<typeof ReportConversion>

/** One conversion of POST /v1/conversions. */
export const ConversionOfUser = z
  .strictObject({ ...conversion, externalId: ExternalId.optional(), userId: ObjectId.optional() })
  .refine(
    ({ externalId, userId }) => (externalId === undefined) !== (userId === undefined),
    'must have exactly one of externalId and userId',
  )
export type ConversionOfUser = z.output<typeof ConversionOfUser>

/**
 * Which push a conversion is attributed to (spec: conversions/attribution). `direct`: the user opened or clicked it, or the report names it.
 * `influenced`: it was sent to the user shortly before.
 */
export const attributions = ['direct', 'influenced'] as const
export type AttributedHow = (typeof attributions)[number]

/** How long before a conversion a push must have been opened or sent to be its cause. An app's setting. */
export const Attribution = z.strictObject({
  directHours: z
    .int()
    .min(1)
    .max(720)
    .default(24)
    .meta({ description: 'A push that was opened or clicked this long before is the direct cause.' }),
  influencedHours: z
    .int()
    .min(0)
    .max(168)
    .default(1)
    .meta({ description: 'Else a push that was sent this long before has influenced; 0: none.' }),
})
export type Attribution = z.output<typeof Attribution>

/** Whether a public key may report a value. That key is in everybody's hands. */
export const ConversionSettings = z.strictObject({ publicValues: z.boolean().default(false) })
export type ConversionSettings = z.output<typeof ConversionSettings>

/** What is counted of the conversions of one name. `value`: the exact sum by currency, with 2 to 4 decimals. */
export type ConversionCount = { count: number; direct: number; influenced: number; users: number; value: Record<string, string> }
/** By name; only names that were counted. */
export type ConversionCounts = Record<string, ConversionCount>

/** A stored conversion, as the administration shows it with its user and exports it. */
export const StoredConversion = z.object({
  id: z.string(),
  name: z.string(),
  at: z.iso.datetime(),
  value: z.string().nullable(),
  currency: z.string().nullable(),
  campaignId: Id.nullable().meta({ description: 'The campaign that it is attributed to; null: none.' }),
  how: z.enum(attributions).nullable(),
})
export type StoredConversion = z.infer<typeof StoredConversion>
