import { Id } from '@herald/contracts/text'
import { DryRun, DryRunOfApp } from '@herald/contracts/dry-run'
import { perPlatform, platforms } from '@herald/contracts/platform'
import { z } from 'zod'
import { dryRun } from '../dry-run.ts'
import { missingAdminScope, missingScope } from '../../http/credentials.ts'
import { route } from '../../http/route.ts'

const Count = z.int().min(0)
const Time = z.string().meta({ format: 'date-time' })
const nullableText = z.string().nullable()
const platform = z.enum(platforms)

const exactness = {
  exact: z.boolean().meta({
    description:
      'False when the number was estimated from a sample (`interval` is its 95 % interval), or has devices that will be left out because they had their push already.',
  }),
  sampleSize: Count.optional(),
  interval: z.array(Count).length(2).optional(),
}

/** A text as a device would show it. Unlike the text of a request it may have an empty title or body, because a placeholder can come out empty. */
const Shown = z.object({
  title: z.string(),
  body: z.string(),
  url: z.string().optional(),
  image: z.string().optional(),
  actions: z.array(z.object({ id: z.string(), title: z.string(), url: z.string().optional() })).optional(),
})

/** The answer of a dry run. Codes and reasons are plain strings and not enums, because later versions add some. */
export const DryRunAnswer = z.object({
  audience: z.object({ devices: Count, users: Count, byPlatform: z.object(perPlatform(() => Count)), ...exactness }),
  unreachable: z.object({ optedOut: Count, invalidated: Count }),
  skips: z.array(z.object({ reason: z.string(), devices: Count, ...exactness })),
  waves: z.array(z.object({ at: Time, devices: Count })),
  experiment: z.object({ inSample: Count, remainder: Count, byVariant: z.record(z.string(), Count) }).nullable(),
  locales: z.array(z.object({ locale: z.string(), devices: Count, fallback: Count })),
  bytes: z.array(z.object({ platform, locale: nullableText, variant: nullableText, max: Count, limit: Count, truncated: z.boolean() })),
  samples: z.array(
    z.object({
      subscriptionId: Id,
      userId: Id,
      platform,
      variant: nullableText,
      locale: nullableText,
      entry: Shown.nullable(),
      payload: z.record(z.string(), z.unknown()).nullable().meta({ description: 'What the provider would be sent, without the token.' }),
      bytes: Count.nullable(),
      limit: Count,
      skip: nullableText.meta({ description: 'Why this device would be skipped; null when it would get the push.' }),
      warnings: z.array(z.string()),
    }),
  ),
  warnings: z.array(z.object({ code: z.string(), path: z.string(), message: z.string(), devices: Count.nullable() })),
  estimate: z.object({ seconds: Count.nullable(), perSecond: z.number().min(0).nullable(), basis: z.string() }),
})

const description =
  'Answers whom the send would reach, who would be skipped and why, when, in which languages, and how large the pushes are. The code that sends counts and renders here too. ' +
  'Nothing is sent or written. Samples show values of users, so they need the scope users:read too (of an administration key: people).'

export const dryRuns = [
  route({
    name: 'dryRunNotification',
    method: 'post',
    path: '/v1/notifications/dry-run',
    key: 'secret',
    scope: 'notifications:send',
    body: DryRun,
    status: 200,
    summary: 'Try a notification or a campaign without sending it',
    description,
    answers: DryRunAnswer,
    faults: ['not_found', 'invalid_segment', 'invalid_state'],
    async answer(gateway, { appId, body, holds }) {
      const showsSamples = holds('users:read')
      if (body.samples !== undefined && !showsSamples) throw missingScope('users:read')
      return dryRun(gateway, { appId, body, showsSamples })
    },
  }),
]

export const dryRunsOfApp = [
  route({
    name: 'dryRunNotificationOfApp',
    method: 'post',
    path: '/v1/admin/apps/:appId/dry-run',
    key: 'admin',
    scope: 'send',
    body: DryRunOfApp,
    audit: 'nothing',
    status: 200,
    summary: 'Try a notification, a campaign or a stored campaign without sending it',
    description,
    answers: DryRunAnswer,
    async answer(gateway, { appId, body, holds }) {
      const showsSamples = holds('people')
      if (body.samples !== undefined && !showsSamples) throw missingAdminScope('people')
      return dryRun(gateway, { appId, body, showsSamples })
    },
  }),
]
