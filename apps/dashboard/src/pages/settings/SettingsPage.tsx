import { Page } from '../../ui/Page.tsx'

/** Not made yet. */
export function SettingsPage() {
  return <Page title="Settings">Not made yet.</Page>
}
