// Loaded with `node --import`. The first process of OLDER_APP speaks OLDER_SUBJECTS in the version before the present one, and makes the directory
// OLDER_MARK. Later processes find that and speak the present version.
import { mkdirSync } from 'node:fs'
import { registerHooks } from 'node:module'

const { OLDER_APP: app, OLDER_SUBJECTS: subjects = '', OLDER_MARK: mark = '' } = process.env
const today = 'changed[subject] ?? 1'

if (app !== undefined && process.argv.includes(app) && isFirst()) {
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context)
      if (!url.includes('/dist/services/')) return loaded
      const source = Buffer.from(loaded.source as Uint8Array).toString()
      return { ...loaded, source: source.replace(today, `(${today}) - (${JSON.stringify(subjects.split(','))}.includes(subject) ? 1 : 0)`) }
    },
  })
}

function isFirst(): boolean {
  try {
    mkdirSync(mark)
    return true
  } catch {
    return false
  }
}
