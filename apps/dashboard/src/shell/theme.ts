import { preferences, watchPreferences } from './preferences.ts'

/** Sets the theme of the page, now and whenever it changes: the operator's choice, else the system's. */
export function followTheme(): void {
  const system = matchMedia('(prefers-color-scheme: dark)')
  const put = (): void => {
    const { theme } = preferences()
    document.documentElement.dataset['theme'] = theme === 'system' ? (system.matches ? 'dark' : 'light') : theme
  }
  system.addEventListener('change', put)
  watchPreferences(put)
  put()
}
