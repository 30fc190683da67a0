import type { AppSettings, ProviderKind } from '@herald/contracts/app'
import type { AdminScope, KeyKind, Scope } from '@herald/contracts/administration'
import type { Generated, JSONColumnType } from 'kysely'
import type { ProviderSettings } from '../apps/core/providers/providers.ts'

export type Tables = {
  apps: {
    id: string
    name: string
    settings: JSONColumnType<AppSettings>
    holdout_generation: Generated<number>
    sealed_identity_secret: string | null
    created_at: Generated<Date>
    deleted_at: Date | null
  }
  api_keys: {
    id: string
    app_id: string
    kind: KeyKind
    name: string
    scopes: Scope[]
    hash: string
    hint: string
    public_text: string | null
    created_at: Generated<Date>
    last_used_at: Date | null
  }
  admin_keys: {
    id: string
    app_id: string
    name: string
    scopes: AdminScope[]
    hash: string
    hint: string
    created_at: Generated<Date>
    last_used_at: Date | null
  }
  providers: {
    app_id: string
    kind: ProviderKind
    version: Generated<number>
    settings: JSONColumnType<ProviderSettings>
    sealed_private_key: string
    updated_at: Generated<Date>
  }
  kept_credentials: {
    id: string
    app_id: string
    kind: ProviderKind
    state: 'candidate' | 'former'
    settings: JSONColumnType<ProviderSettings>
    sealed_private_key: string
    created_at: Generated<Date>
  }
  apns_tokens: {
    team_id: string
    key_id: string
    key_fingerprint: string
    sealed_token: string
    minted_at: Date
  }
  app_erasures: {
    app_id: string
    app: 'campaigns' | 'audience' | 'tracker' | 'webhooks'
    due_at: Generated<Date>
  }
  audit: {
    id: string
    app_id: string
    actor: string
    action: string
    subject: JSONColumnType<Record<string, unknown>>
    request_id: string | null
    created_at: Generated<Date>
  }
  audit_intents: Tables['audit']
  drafts: {
    app_id: string
    id: string
    draft: string
    name: string | null
    revision: Generated<number>
    saved_by: string
    created_at: Generated<Date>
    updated_at: Generated<Date>
  }
  pictures: {
    id: string
    app_id: string
    name: string
    media_type: 'image/jpeg' | 'image/png' | 'image/gif'
    width: number
    height: number
    bytes: Buffer
    hash: Buffer
    added_by: string
    created_at: Generated<Date>
  }
  approvals: {
    app_id: string
    campaign_id: string
    asked_by: string
    session_id: string | null
    admin_key_id: string | null
    devices: number
    seen: string
    asked_at: Generated<Date>
    confirming_until: Date | null
  }
  sessions: {
    id: string
    id_hash: Buffer
    name: string
    browser: string
    token_hash: Buffer
    admin_key_id: string | null
    created_at: Generated<Date>
    seen_at: Generated<Date>
  }
  sign_in_links: {
    code_hash: Buffer
    name: string | null
    token_hash: Buffer
    created_at: Generated<Date>
  }
}
