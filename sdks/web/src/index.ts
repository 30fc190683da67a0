import { HeraldError } from './herald-error.ts'
import { readOptions, type Options } from './options.ts'
import { openPage, type Herald } from './page.ts'

export { HeraldError }
export type { AskLimits } from './soft-ask.ts'
export type { ErrorCode, ErrorDetail } from './herald-error.ts'
export type { Events } from './events.ts'
export type { Herald } from './page.ts'
export type { State } from './events.ts'
export type { Options } from './options.ts'
export type { Reason } from './support.ts'
export type { UserChanges } from './store.ts'

const pages: Record<string, Herald> = {}

/**
 * Starts Herald on this page. A second call for the same app and worker scope gives the first one's result. Throws `invalid_option`. An error of work
 * in the background is in `state().lastError` and in an `error` event.
 */
export function init(options: Options): Herald {
  const settings = readOptions(options)
  return (pages[settings.scope + settings.service.appKey] ??= openPage(settings))
}
