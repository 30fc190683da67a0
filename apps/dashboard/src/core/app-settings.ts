/** The settings of an app in the form, where numbers and times are texts while the operator types. */
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
  needsApproval: boolean
  approvalDevices: string
  directHours: string
  influencedHours: string
  publicValues: boolean
  inboxDays: string
  hasHoldout: boolean
  holdoutPercent: string
}

export type CapUnit = 'seconds' | 'minutes' | 'hours' | 'days'

/** The fields of an app that the form changes. */
export type EditedApp = {
  name: string
  settings: {
    defaultTimezone: string
    frequencyCap: { max: number; windowSeconds: number } | null
    quietHours: { start: string; end: string; action: 'hold' | 'skip' } | null
    approval: { devices: number } | null
    attribution: { directHours: number; influencedHours: number }
    conversions: { publicValues: boolean }
    inboxDays: number
    holdout: { percent: number } | null
  }
}

const unitSeconds: Record<CapUnit, number> = { days: 86_400, hours: 3600, minutes: 60, seconds: 1 }

/** Gives a time window in the largest unit in which it is a whole number: 5400 s are 90 minutes. */
export function splitWindow(seconds: number): { count: number; unit: CapUnit } {
  const units = Object.keys(unitSeconds) as CapUnit[]
  const unit = units.find((name) => seconds % unitSeconds[name] === 0) ?? 'seconds'
  return { count: seconds / unitSeconds[unit], unit }
}

/** Gives the settings of an app as the form shows them. For what is switched off the form proposes values. */
export function textsOf({ name, settings }: EditedApp): SettingsTexts {
  const { defaultTimezone, frequencyCap, quietHours, approval, attribution, conversions, inboxDays, holdout } = settings
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
    needsApproval: approval !== null,
    approvalDevices: String(approval?.devices ?? 10_000),
    directHours: String(attribution.directHours),
    influencedHours: String(attribution.influencedHours),
    publicValues: conversions.publicValues,
    inboxDays: String(inboxDays),
    hasHoldout: holdout !== null,
    holdoutPercent: String(holdout?.percent ?? 5),
  }
}

const decimal = (text: string): number => (/^\d+([.,]\d+)?$/.test(text.trim()) ? Number(text.replace(',', '.')) : Number.NaN)
const whole = (text: string): number => (/^\d+$/.test(text.trim()) ? Number(text) : Number.NaN)

/**
 * Gives the typed settings as the API takes them. A text that is no whole number becomes NaN, which JSON sends as null, so that the API's answer
 * names the field.
 */
export const settingsOf = (texts: SettingsTexts): EditedApp => ({
  name: texts.name,
  settings: {
    defaultTimezone: texts.defaultTimezone,
    frequencyCap: texts.hasCap ? { max: whole(texts.capMax), windowSeconds: whole(texts.capCount) * unitSeconds[texts.capUnit] } : null,
    quietHours: texts.hasQuietHours ? { start: texts.quietStart, end: texts.quietEnd, action: texts.quietAction } : null,
    approval: texts.needsApproval ? { devices: whole(texts.approvalDevices) } : null,
    attribution: { directHours: whole(texts.directHours), influencedHours: whole(texts.influencedHours) },
    conversions: { publicValues: texts.publicValues },
    inboxDays: whole(texts.inboxDays),
    holdout: texts.hasHoldout ? { percent: decimal(texts.holdoutPercent) } : null,
  },
})

/** Gives the form's field for a path in the API's answer, or undefined when the form has no such field. */
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
    'settings.approval': 'approvalDevices',
    'settings.approval.devices': 'approvalDevices',
    'settings.attribution.directHours': 'directHours',
    'settings.attribution.influencedHours': 'influencedHours',
    'settings.inboxDays': 'inboxDays',
    'settings.holdout': 'holdoutPercent',
    'settings.holdout.percent': 'holdoutPercent',
  }
  return fields[path]
}
