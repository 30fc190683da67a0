import { preferences, watchPreferences } from './preferences.ts'

/** Puts the theme on the page and keeps it there: what the person chose, else what the system says. */
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
