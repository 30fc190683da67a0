/** What an experiment is decided by: the share of users who opened or clicked the push, or to whom a conversion is attributed. */
export const experimentMetrics = ['open', 'click', 'conversion'] as const
export type ExperimentMetric = (typeof experimentMetrics)[number]

/** Who decided an experiment: a difference that is none by chance, the end of its time, or a person who picked the winner. */
export const deciders = ['significance', 'deadline', 'person'] as const
export type DecidedBy = (typeof deciders)[number]
