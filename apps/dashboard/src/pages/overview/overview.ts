import type { components } from '../../api/schema.gen.ts'

/** An app at a glance, as the administration answers it. */
export type Overview = components['schemas']['ReadOverviewAnswer']
