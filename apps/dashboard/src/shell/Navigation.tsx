import { Link } from '@tanstack/react-router'
import {
  CircleQuestionMark,
  CircleUser,
  FileText,
  Funnel,
  History,
  Inbox,
  KeyRound,
  LayoutDashboard,
  LayoutGrid,
  Megaphone,
  PenLine,
  RadioTower,
  Rocket,
  ScrollText,
  Settings,
  Webhook,
} from 'lucide-react'

/** The pages of an app in the order of the navigation, in two groups. */
export const appPages = [
  [
    { to: '/apps/$appId/overview', label: 'Overview', Icon: LayoutDashboard },
    { to: '/apps/$appId/compose', label: 'Compose', Icon: PenLine },
    { to: '/apps/$appId/campaigns', label: 'Campaigns', Icon: Megaphone },
    { to: '/apps/$appId/people', label: 'People', Icon: CircleUser },
    { to: '/apps/$appId/segments', label: 'Segments', Icon: Funnel },
    { to: '/apps/$appId/templates', label: 'Templates', Icon: FileText },
    { to: '/apps/$appId/log', label: 'Log', Icon: ScrollText },
    { to: '/apps/$appId/explain', label: 'Why?', Icon: CircleQuestionMark },
  ],
  [
    { to: '/apps/$appId/providers', label: 'Providers', Icon: RadioTower },
    { to: '/apps/$appId/keys', label: 'Keys', Icon: KeyRound },
    { to: '/apps/$appId/webhooks', label: 'Webhooks', Icon: Webhook },
    { to: '/apps/$appId/settings', label: 'Settings', Icon: Settings },
    { to: '/apps/$appId/audit', label: 'Audit', Icon: History },
  ],
] as const

/** The page that shows the pushes to virtual devices. The navigation contains this page when Herald runs with a simulator. */
export const inboxPage = { to: '/apps/$appId/inbox', label: 'Inbox', Icon: Inbox } as const
/** The page of the first steps. The navigation contains this page while the app counts as new (`isNewApp`). */
export const startPage = { to: '/apps/$appId/start', label: 'Get started', Icon: Rocket } as const

const look =
  'flex min-h-8 items-center gap-2.5 rounded-md px-2.5 text-muted hover:bg-hover hover:text-ink data-[status=active]:bg-accent-soft data-[status=active]:font-medium data-[status=active]:text-accent'

/** Shows links to the pages of an app, or to the list of apps on a page that belongs to no app. */
export function Navigation({ appId, isSimulated, isNew }: { appId: string | undefined; isSimulated: boolean; isNew: boolean }) {
  if (appId === undefined)
    return (
      <ul>
        <li>
          <Link to="/" activeOptions={{ exact: true }} className={look}>
            <LayoutGrid size={16} aria-hidden />
            Apps
          </Link>
        </li>
      </ul>
    )
  const groups = [...(isNew ? [[startPage]] : []), ...appPages, ...(isSimulated ? [[inboxPage]] : [])]
  return groups.map((group, index) => (
    <ul key={index} className="flex flex-col gap-0.5 border-b border-line pb-3 last:border-0">
      {group.map(({ to, label, Icon }) => (
        <li key={to}>
          <Link to={to} params={{ appId }} activeOptions={{ includeSearch: false }} className={look}>
            <Icon size={16} className="shrink-0" aria-hidden />
            {label}
          </Link>
        </li>
      ))}
    </ul>
  ))
}
