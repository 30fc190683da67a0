import pino from 'pino'

export type Log = pino.Logger

/**
 * One line of JSON per request, batch or problem, on stdout. Call sites name ids, outcomes and milliseconds; nothing here
 * redacts, so nothing secret may be handed in: no token, key, endpoint address or content.
 */
export const openLog = (app: string, level: string): Log =>
  pino({
    level,
    base: { app, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  })
