import { preferences, watchPreferences } from './preferences.ts'

/** Sets the theme of the page now and at each change: the operator's choice, else that of the operating system. */
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
