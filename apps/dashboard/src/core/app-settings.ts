/** The settings of an app as its form holds them: texts, as they are typed. */
export type SettingsTexts = {
  name: string
  defaultTimezone: string
  hasCap: boolean
  capMax: string
  capCount: string
  capUnit: CapUnit
  hasQuietHours: boolean
  quietStart: string
  quietEnd: string
  quietAction: 'hold' | 'skip'
}

export type CapUnit = 'seconds' | 'minutes' | 'hours' | 'days'

/** What the form changes of an app. */
export type EditedApp = {
  name: string
  settings: {
    defaultTimezone: string
    frequencyCap: { max: number; windowSeconds: number } | null
    quietHours: { start: string; end: string; action: 'hold' | 'skip' } | null
  }
}

const unitSeconds: Record<CapUnit, number> = { days: 86_400, hours: 3600, minutes: 60, seconds: 1 }

/** A window as the largest unit that it is whole in. */
export function splitWindow(seconds: number): { count: number; unit: CapUnit } {
  const units = Object.keys(unitSeconds) as CapUnit[]
  const unit = units.find((name) => seconds % unitSeconds[name] === 0) ?? 'seconds'
  return { count: seconds / unitSeconds[unit], unit }
}

/** An app as its form shows it. What is switched off has values to begin with. */
export function textsOf({ name, settings }: EditedApp): SettingsTexts {
  const { defaultTimezone, frequencyCap, quietHours } = settings
  const window = splitWindow(frequencyCap?.windowSeconds ?? 86_400)
  return {
    name,
    defaultTimezone,
    hasCap: frequencyCap !== null,
    capMax: String(frequencyCap?.max ?? 3),
    capCount: String(window.count),
    capUnit: window.unit,
    hasQuietHours: quietHours !== null,
    quietStart: quietHours?.start ?? '22:00',
    quietEnd: quietHours?.end ?? '08:00',
    quietAction: quietHours?.action ?? 'hold',
  }
}

const whole = (text: string): number => (/^\d+$/.test(text.trim()) ? Number(text) : Number.NaN)

/** What was typed, as the API takes it. A number that is none becomes NaN, which JSON sends as null: the API then names the field. */
export const settingsOf = (texts: SettingsTexts): EditedApp => ({
  name: texts.name,
  settings: {
    defaultTimezone: texts.defaultTimezone,
    frequencyCap: texts.hasCap ? { max: whole(texts.capMax), windowSeconds: whole(texts.capCount) * unitSeconds[texts.capUnit] } : null,
    quietHours: texts.hasQuietHours ? { start: texts.quietStart, end: texts.quietEnd, action: texts.quietAction } : null,
  },
})

/** The form's field for a path of the API's answer; undefined for one that the form does not show. */
export function fieldOf(path: string): keyof SettingsTexts | undefined {
  const fields: Record<string, keyof SettingsTexts> = {
    name: 'name',
    'settings.defaultTimezone': 'defaultTimezone',
    'settings.frequencyCap': 'capMax',
    'settings.frequencyCap.max': 'capMax',
    'settings.frequencyCap.windowSeconds': 'capCount',
    'settings.quietHours': 'quietStart',
    'settings.quietHours.start': 'quietStart',
    'settings.quietHours.end': 'quietEnd',
    'settings.quietHours.action': 'quietAction',
  }
  return fields[path]
}
