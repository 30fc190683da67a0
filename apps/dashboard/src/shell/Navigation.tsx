import { Link } from '@tanstack/react-router'
import {
  ChartNoAxesColumn,
  CircleUser,
  FileText,
  Funnel,
  History,
  Inbox,
  KeyRound,
  LayoutDashboard,
  Megaphone,
  PenLine,
  RadioTower,
  ScrollText,
  Settings,
  Webhook,
} from 'lucide-react'
import { useSystem } from '../session/useSystem.ts'

/** The pages of an app, in three groups. */
export const appPages = [
  [
    { to: '/apps/$appId/overview', label: 'Overview', Icon: LayoutDashboard },
    { to: '/apps/$appId/compose', label: 'Compose', Icon: PenLine },
    { to: '/apps/$appId/campaigns', label: 'Campaigns', Icon: Megaphone },
    { to: '/apps/$appId/people', label: 'People', Icon: CircleUser },
    { to: '/apps/$appId/segments', label: 'Segments', Icon: Funnel },
    { to: '/apps/$appId/templates', label: 'Templates', Icon: FileText },
    { to: '/apps/$appId/log', label: 'Log', Icon: ScrollText },
  ],
  [
    { to: '/apps/$appId/providers', label: 'Providers', Icon: RadioTower },
    { to: '/apps/$appId/keys', label: 'Keys', Icon: KeyRound },
    { to: '/apps/$appId/webhooks', label: 'Webhooks', Icon: Webhook },
    { to: '/apps/$appId/settings', label: 'Settings', Icon: Settings },
    { to: '/apps/$appId/audit', label: 'Audit', Icon: History },
  ],
] as const

const inbox = { to: '/apps/$appId/inbox', label: 'Inbox', Icon: Inbox } as const
const apps = { to: '/', label: 'Apps', Icon: ChartNoAxesColumn } as const

/** The navigation. Without an app there is only the list of apps. */
export function Navigation({ appId }: { appId: string | undefined }) {
  const isSimulated = useSystem().data?.simulator === true
  const look =
    'flex min-h-8 items-center gap-2.5 rounded-md px-2.5 text-muted hover:bg-hover hover:text-ink data-[status=active]:bg-hover data-[status=active]:font-medium data-[status=active]:text-ink'
  return (
    <nav
      aria-label="Dashboard"
      className="flex shrink-0 flex-col gap-4 border-b border-line bg-surface p-3 md:sticky md:top-0 md:h-dvh md:w-56 md:overflow-y-auto md:border-r md:border-b-0"
    >
      <Link to={apps.to} activeOptions={{ exact: true }} className={look}>
        <apps.Icon size={16} aria-hidden />
        {apps.label}
      </Link>
      {appId !== undefined &&
        [...appPages, ...(isSimulated ? [[inbox]] : [])].map((group, index) => (
          <ul key={index} className="flex flex-row flex-wrap gap-0.5 md:flex-col">
            {group.map(({ to, label, Icon }) => (
              <li key={to}>
                <Link to={to} params={{ appId }} className={look}>
                  <Icon size={16} aria-hidden />
                  {label}
                </Link>
              </li>
            ))}
          </ul>
        ))}
    </nav>
  )
}
