import { z } from 'zod'
import type { Experiment } from './campaign.ts'
import { deciders, experimentMetrics, type DecidedBy, type ExperimentMetric } from './experiment-metrics.ts'
import { anytimeP, leastRatioP, newcombe, ratioP, upliftPercent, usersNeeded, wilson } from './statistics.ts'
import { Id } from './text.ts'

/** The users of a variant: those with a push queued, with a push sent, and of the latter those with the event. */
export type VariantUsers = { id: string; assigned: number; sent: number; events: number }

/** What the tracker has counted of an experiment in one snapshot. `appRate`: the app's share of sent pushes with the event, over 30 days. */
export type CountedExperiment = { asOf: string; fannedOut: boolean; variants: VariantUsers[]; appRate: number }

const Time = z.string().meta({ format: 'date-time' })
const Count = z.int().min(0)
const Share = z.number()
const Ratio = z
  .object({
    p: z.number().nullable().meta({ description: 'How likely such a difference is by chance; null until all pushes are queued.' }),
    ok: z.boolean().nullable().meta({ description: 'False: something is wrong, and no winner is picked automatically.' }),
  })
  .meta({ description: 'Whether the users are split as the weights say (χ²).' })

/** The report on an experiment (spec: experiments/report). */
export const ExperimentReport = z.object({
  metric: z.enum(experimentMetrics),
  asOf: Time,
  final: z.boolean().meta({ description: 'Nothing more is expected to come: read the intervals now.' }),
  sampleRatio: Ratio,
  sentRatio: Ratio,
  variants: z.array(
    z.object({ id: z.string(), assigned: Count, sent: Count, events: Count, rate: Share, low: Share, high: Share }).meta({
      description: 'Users, not devices. `low` and `high`: the 95 % interval of Wilson.',
    }),
  ),
  comparisons: z.array(
    z
      .object({ a: z.string(), b: z.string(), difference: Share, low: Share, high: Share, upliftPercent: z.number().nullable() })
      .meta({ description: 'How much larger the rate of b is than that of a, with the 95 % interval of Newcombe.' }),
  ),
  p: z.number().meta({ description: 'Anytime-valid: look as often as you like, and stop when it is at most 0.05.' }),
  decided: z.boolean().meta({ description: 'The best variant is better, and not by chance.' }),
  decidedBy: z.enum(deciders).nullable().meta({ description: 'Null until a winner is picked.' }),
  needed: z.object({ usersPerVariant: z.int().nullable() }).meta({ description: 'To find an uplift of 10 % at the app’s usual rate.' }),
})
export type ExperimentReport = z.infer<typeof ExperimentReport>

const usualAlpha = 0.05
const usualMinUsers = 500

/** Whether the split of users is as the weights say; nothing can be said before all pushes are queued. */
function ratioOf(counts: number[], { variants }: Pick<Experiment, 'variants'>, fannedOut: boolean): ExperimentReport['sampleRatio'] {
  if (!fannedOut) return { p: null, ok: null }
  const p = ratioP(
    counts,
    variants.map(({ weight }) => weight),
  )
  return { p, ok: p > leastRatioP }
}

/** Makes the report of what was counted of an experiment. */
export function reportOf(
  experiment: Experiment,
  { asOf, fannedOut, variants: counted, appRate }: CountedExperiment,
  { metric, final, decidedBy }: { metric: ExperimentMetric; final: boolean; decidedBy: DecidedBy | null },
): ExperimentReport {
  const variants = experiment.variants.map(({ id }) => counted.find((one) => one.id === id) ?? { id, assigned: 0, sent: 0, events: 0 })
  const tested = variants.map(({ sent: users, events }) => ({ users, events }))
  const p = anytimeP(tested)
  const [sampleRatio, sentRatio] = (['assigned', 'sent'] as const).map((of) =>
    ratioOf(
      variants.map((one) => one[of]),
      experiment,
      fannedOut,
    ),
  ) as [ExperimentReport['sampleRatio'], ExperimentReport['sentRatio']]
  const { alpha = usualAlpha, minUsers = usualMinUsers } = experiment.auto ?? {}
  const isEnough = tested.every(({ users }) => users >= minUsers)
  return {
    metric,
    asOf,
    final,
    sampleRatio,
    sentRatio,
    variants: variants.map((one, place) => ({ ...one, ...wilson(tested[place] ?? { users: 0, events: 0 }) })),
    comparisons: variants.flatMap((a, place) =>
      variants.slice(place + 1).map((b) => {
        const [first, second] = [
          { users: a.sent, events: a.events },
          { users: b.sent, events: b.events },
        ]
        return { a: a.id, b: b.id, ...newcombe(first, second), upliftPercent: upliftPercent(first, second) }
      }),
    ),
    p,
    decided: p <= alpha && isEnough && sampleRatio.ok === true && sentRatio.ok === true,
    decidedBy,
    needed: { usersPerVariant: usersNeeded(appRate) },
  }
}

/** Gives the id of the variant with the highest rate; of equal ones the first. */
export const bestOf = ({ variants }: Pick<ExperimentReport, 'variants'>): string =>
  variants.reduce((best, one) => (one.rate > best.rate ? one : best)).id

const Group = z.object({ users: Count, converted: Count, rate: Share })
/** What a campaign or all campaigns have caused: everybody who was meant to get pushes against everybody who was held out (spec: experiments/uplift). */
export const Uplift = z.object({
  treated: Group,
  control: Group,
  difference: Share,
  low: Share,
  high: Share,
  upliftPercent: z.number().nullable(),
  final: z.boolean().meta({ description: 'The time that is looked at is over.' }),
})
export type Uplift = z.infer<typeof Uplift>
/** How many users were held out or not, and how many of them converted. */
export type CountedUplift = Record<'treated' | 'control', { users: number; converted: number }> & { final: boolean }

export function upliftOf({ treated, control, final }: CountedUplift): Uplift {
  const of = ({ users, converted }: CountedUplift['treated']) => ({ users, events: converted })
  const shown = (one: CountedUplift['treated']) => ({ ...one, rate: wilson(of(one)).rate })
  return {
    treated: shown(treated),
    control: shown(control),
    ...newcombe(of(control), of(treated)),
    upliftPercent: upliftPercent(of(control), of(treated)),
    final,
  }
}

/**
 * Asks for the counts of one experiment by one metric. `variants` are in the campaign's order: the tracker computes from them the variant of users
 * who have no outcome yet.
 */
export const CountedBy = z.object({
  appId: Id,
  campaignId: Id,
  metric: z.enum(experimentMetrics),
  conversion: z.string().max(64).nullable(),
  variants: z
    .array(z.object({ id: z.string().max(100), weight: z.number() }))
    .min(2)
    .max(4),
})
export type CountedBy = z.infer<typeof CountedBy>
