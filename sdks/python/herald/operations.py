# Made by tools/src/write-clients.ts from docs/openapi.json. Do not change it by hand: `npm run docs` writes it anew.
"""The operations of Herald's API that a secret key may call, and the types of their bodies and answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Literal, Mapping, Optional, TypedDict, Union
from urllib.parse import quote
from uuid import uuid4

if TYPE_CHECKING:
    from typing_extensions import NotRequired, Unpack


class CallOptions(TypedDict, total=False):
    """What every method takes; it replaces what the client was made with. Times are in seconds."""

    retries: int
    timeout: float
    total_timeout: float


RegisterSubscriptionBody = Union["RegisterSubscriptionBodyToken", "RegisterSubscriptionBodyEndpoint"]


class RegisterSubscriptionBodyToken(TypedDict):
    platform: Literal["ios", "android"]
    token: str
    externalId: NotRequired[str]
    tags: NotRequired[Tags]
    language: NotRequired[str]
    timezone: NotRequired[str]
    country: NotRequired[str]
    appVersion: NotRequired[str]
    sdkVersion: NotRequired[str]
    osVersion: NotRequired[str]
    deviceModel: NotRequired[str]
    old: NotRequired[str]


Tags = Dict[str, Union[str, float, bool]]


class RegisterSubscriptionBodyEndpoint(TypedDict):
    platform: Literal["web"]
    endpoint: str
    keys: WebPushKeys
    browser: NotRequired[str]
    standalone: NotRequired[bool]
    externalId: NotRequired[str]
    tags: NotRequired[Tags]
    language: NotRequired[str]
    timezone: NotRequired[str]
    country: NotRequired[str]
    appVersion: NotRequired[str]
    sdkVersion: NotRequired[str]
    osVersion: NotRequired[str]
    deviceModel: NotRequired[str]


class WebPushKeys(TypedDict):
    p256dh: str
    auth: str


class Registered(TypedDict):
    id: str
    platform: Literal["ios", "android", "web"]
    userId: str


class RotateSubscriptionBody(TypedDict):
    old: str
    new: RotateSubscriptionBodyNew


class RotateSubscriptionBodyNew(TypedDict):
    endpoint: str
    keys: WebPushKeys


class Rotated(TypedDict):
    id: str


class ChangeSubscriptionBody(TypedDict):
    optedIn: NotRequired[bool]
    appVersion: NotRequired[str]
    osVersion: NotRequired[str]
    deviceModel: NotRequired[str]
    badge: NotRequired[int]


class OptedIn(TypedDict):
    id: str
    optedIn: bool


class StartSessionBody(TypedDict):
    appVersion: NotRequired[str]
    osVersion: NotRequired[str]


class Session(TypedDict):
    id: str
    sessionCount: int
    lastSessionAt: str


class LoginSubscriptionBody(TypedDict):
    externalId: str


class LoggedIn(TypedDict):
    userId: str
    externalId: str


class LoggedOut(TypedDict):
    userId: str


class UserChanges(TypedDict):
    tags: NotRequired[TagChanges]
    language: NotRequired[str]
    timezone: NotRequired[str]
    country: NotRequired[str]


TagChanges = Dict[str, Optional[Union[str, float, bool]]]


class OwnerChanged(TypedDict):
    userId: str
    tags: Dict[str, Union[str, float, bool]]


class ChangeUsersBody(TypedDict):
    users: List[ChangeUsersBodyUsers]


class ChangeUsersBodyUsers(TypedDict):
    externalId: NotRequired[str]
    userId: NotRequired[str]
    tags: NotRequired[TagChanges]
    language: NotRequired[str]
    timezone: NotRequired[str]
    country: NotRequired[str]


class UsersChanged(TypedDict):
    results: List[UsersChangedResults]


class UsersChangedResults(TypedDict):
    index: int
    status: int
    id: NotRequired[str]
    created: NotRequired[bool]
    error: NotRequired[ItemError]


class ItemError(TypedDict):
    """Why the item was refused: the error that a request for this item alone would get, with the path of the field
    in this request."""

    code: str
    message: str
    details: NotRequired[List[ItemErrorDetails]]


class ItemErrorDetails(TypedDict):
    path: str
    message: str


class User(TypedDict):
    id: str
    externalId: NotRequired[str]
    tags: Dict[str, Union[str, float, bool]]
    language: Optional[str]
    timezone: Optional[str]
    country: Optional[str]
    createdAt: str
    lastActiveAt: str
    subscriptions: List[Subscription]


class Subscription(TypedDict):
    id: str
    platform: Literal["ios", "android", "web"]
    token: NotRequired[str]
    endpoint: NotRequired[str]
    keys: NotRequired[SubscriptionKeys]
    optedIn: bool
    appVersion: Optional[str]
    sdkVersion: Optional[str]
    osVersion: Optional[str]
    deviceModel: Optional[str]
    browser: Optional[str]
    standalone: Optional[bool]
    sessionCount: int
    lastSessionAt: Optional[str]
    createdAt: str
    lastActiveAt: str
    lastNotifiedAt: Optional[str]
    invalidatedAt: Optional[str]


class SubscriptionKeys(TypedDict):
    p256dh: str
    auth: str


class ShownPreferences(TypedDict):
    categories: List[ShownPreferencesCategories]


class ShownPreferencesCategories(TypedDict):
    id: str
    name: str
    description: Optional[str]
    subscribed: bool
    locked: bool


class ChangePreferencesOfDeviceBody(TypedDict):
    categories: Dict[str, Optional[bool]]


class ChangePreferencesBody(TypedDict):
    categories: Dict[str, Optional[bool]]


class ChangePreferencesByExternalIdBody(TypedDict):
    categories: Dict[str, Optional[bool]]


class ReportConversionsBody(TypedDict):
    events: List[ReportConversionsBodyEvents]


class ReportConversionsBodyEvents(TypedDict):
    id: str
    name: str
    at: str
    value: NotRequired[float]
    currency: NotRequired[str]
    msgId: NotRequired[str]
    externalId: NotRequired[str]
    userId: NotRequired[str]


class ConversionsReported(TypedDict):
    results: List[ConversionsReportedResults]


class ConversionsReportedResults(TypedDict):
    id: Optional[str]
    status: Literal["counted", "duplicate", "unknown_user", "invalid"]
    error: NotRequired[ItemError]
    attribution: NotRequired[ConversionsReportedResultsAttribution]


class ConversionsReportedResultsAttribution(TypedDict):
    """The campaign that led to it; left out when there is none."""

    campaignId: str
    how: Literal["direct", "influenced"]


class ReportConversionBody(TypedDict):
    id: str
    name: str
    at: str
    value: NotRequired[float]
    currency: NotRequired[str]
    msgId: NotRequired[str]


class ConversionReported(TypedDict):
    id: str
    status: Literal["counted", "duplicate"]
    attribution: NotRequired[ConversionReportedAttribution]


class ConversionReportedAttribution(TypedDict):
    """The campaign that led to it; left out when there is none."""

    campaignId: str
    how: Literal["direct", "influenced"]


class Inbox(TypedDict):
    items: List[InboxItems]
    unread: int
    nextCursor: Optional[str]


class InboxItems(TypedDict):
    id: str
    title: str
    body: str
    url: Optional[str]
    image: Optional[str]
    actions: List[InboxItemsActions]
    data: Dict[str, str]
    category: Optional[str]
    sentAt: str
    readAt: Optional[str]
    opened: bool


class InboxItemsActions(TypedDict):
    id: str
    title: str
    url: Optional[str]


class MarkInboxBody(TypedDict):
    ids: NotRequired[List[str]]
    all: NotRequired[Literal[True]]
    before: NotRequired[str]
    read: NotRequired[bool]


class SendNotificationBody(TypedDict):
    target: Target
    content: NotRequired[Content]
    templateId: NotRequired[str]
    silent: NotRequired[bool]
    data: NotRequired[CustomData]
    ttl: NotRequired[int]
    collapseId: NotRequired[str]
    priority: NotRequired[Literal["high", "normal"]]
    presentation: NotRequired[Presentation]
    overrides: NotRequired[Overrides]
    category: NotRequired[str]
    sendRate: NotRequired[SendNotificationBodySendRate]
    inbox: NotRequired[bool]
    bypass: NotRequired[Bypass]


class Target(TypedDict):
    externalIds: NotRequired[List[str]]
    userIds: NotRequired[List[str]]
    subscriptionIds: NotRequired[List[str]]
    segment: NotRequired[Segment]
    segmentId: NotRequired[str]
    all: NotRequired[Literal[True]]


Segment = Union["SegmentEmpty", "SegmentNode"]


class SegmentEmpty(TypedDict):
    pass


SegmentNode = Union["SegmentNodeField", "SegmentNodeAnd", "SegmentNodeOr", "SegmentNodeNot"]


class SegmentNodeField(TypedDict):
    """A leaf. Fields of the device: platform, browser, standalone, appVersion, sdkVersion, osVersion, deviceModel,
    sessionCount, lastSessionAt, createdAt, lastActiveAt, lastNotifiedAt; of the user: userId, externalId,
    language, timezone, country, user.createdAt, user.lastActiveAt, tags.<name>."""

    field: str
    op: Literal["eq", "ne", "in", "nin", "gt", "gte", "lt", "lte", "exists", "contains", "startsWith"]
    value: Any


SegmentNodeAnd = TypedDict("SegmentNodeAnd", {"and": "List[SegmentNode]"})


SegmentNodeOr = TypedDict("SegmentNodeOr", {"or": "List[SegmentNode]"})


SegmentNodeNot = TypedDict("SegmentNodeNot", {"not": "SegmentNode"})


Content = Union["ContentMap", "ContentByLocale"]


ContentMap = Dict[str, Union[str, "LocaleEntry"]]


class LocaleEntry(TypedDict):
    title: str
    body: str
    url: NotRequired[str]
    image: NotRequired[str]
    actions: NotRequired[List[Action]]


class Action(TypedDict):
    id: str
    title: str
    url: NotRequired[str]


class ContentByLocale(TypedDict):
    default: str
    locales: Dict[str, LocaleEntry]


CustomData = Dict[str, str]


class Presentation(TypedDict):
    sound: NotRequired[str]
    badge: NotRequired[int]
    badgeIncrement: NotRequired[int]
    threadId: NotRequired[str]
    icon: NotRequired[str]
    interruptionLevel: NotRequired[Literal["passive", "active", "time-sensitive", "critical"]]
    relevanceScore: NotRequired[float]
    channelId: NotRequired[str]


class Overrides(TypedDict):
    """Fields that are merged last into what each provider gets: the payload of APNs, `message.android` of FCM, the
    options of a browser’s notification. At most 2,048 bytes of JSON each."""

    ios: NotRequired[Dict[str, Any]]
    android: NotRequired[Dict[str, Any]]
    web: NotRequired[Dict[str, Any]]


class SendNotificationBodySendRate(TypedDict):
    perMinute: int


class Bypass(TypedDict):
    frequencyCap: NotRequired[bool]
    quietHours: NotRequired[bool]
    holdout: NotRequired[bool]


class Accepted(TypedDict):
    id: str
    status: Literal["sending"]


class SendNotificationsBody(TypedDict):
    notifications: List[SendNotificationsBodyNotifications]


class SendNotificationsBodyNotifications(TypedDict):
    target: Target
    content: NotRequired[Content]
    templateId: NotRequired[str]
    silent: NotRequired[bool]
    data: NotRequired[CustomData]
    ttl: NotRequired[int]
    collapseId: NotRequired[str]
    priority: NotRequired[Literal["high", "normal"]]
    presentation: NotRequired[Presentation]
    overrides: NotRequired[Overrides]
    category: NotRequired[str]
    sendRate: NotRequired[SendNotificationsBodyNotificationsSendRate]
    inbox: NotRequired[bool]
    bypass: NotRequired[Bypass]
    idempotencyKey: NotRequired[str]


class SendNotificationsBodyNotificationsSendRate(TypedDict):
    perMinute: int


class SendsAccepted(TypedDict):
    results: List[SendsAcceptedResults]


class SendsAcceptedResults(TypedDict):
    index: int
    status: int
    id: NotRequired[str]
    replayed: NotRequired[bool]
    error: NotRequired[ItemError]


class DryRunNotificationBody(TypedDict):
    notification: NotRequired[SendNotificationBody]
    campaign: NotRequired[CreateCampaignBody]
    samples: NotRequired[DryRunNotificationBodySamples]


class CreateCampaignBody(TypedDict):
    name: str
    segment: NotRequired[Segment]
    segmentId: NotRequired[str]
    schedule: NotRequired[Schedule]
    experiment: NotRequired[Experiment]
    content: NotRequired[Content]
    templateId: NotRequired[str]
    silent: NotRequired[bool]
    data: NotRequired[CustomData]
    ttl: NotRequired[int]
    collapseId: NotRequired[str]
    priority: NotRequired[Literal["high", "normal"]]
    presentation: NotRequired[Presentation]
    overrides: NotRequired[Overrides]
    category: NotRequired[str]
    sendRate: NotRequired[CreateCampaignBodySendRate]
    inbox: NotRequired[bool]
    bypass: NotRequired[Bypass]


Schedule = Union["ScheduleNow", "ScheduleAt", "ScheduleUserTimezone", "ScheduleRecurring"]


class ScheduleNow(TypedDict):
    type: Literal["now"]


class ScheduleAt(TypedDict):
    type: Literal["at"]
    at: str


class ScheduleUserTimezone(TypedDict):
    type: Literal["user_timezone"]
    localTime: str
    date: NotRequired[str]
    lateMinutes: NotRequired[int]


ScheduleRecurring = TypedDict("ScheduleRecurring", {"type": "Literal['recurring']", "every": "Literal['day', 'week', 'month']", "interval": "NotRequired[int]", "startDate": "NotRequired[str]", "daysOfWeek": "NotRequired[List[int]]", "daysOfMonth": "NotRequired[List[int]]", "nthWeekday": "NotRequired[ScheduleRecurringNthWeekday]", "localTime": "str", "timezone": "str", "except": "NotRequired[List[str]]", "maxRuns": "NotRequired[int]", "until": "NotRequired[str]"})


class ScheduleRecurringNthWeekday(TypedDict):
    nth: int
    day: int


class Experiment(TypedDict):
    sampleRate: float
    variants: List[ExperimentVariants]
    auto: NotRequired[ExperimentAuto]


class ExperimentVariants(TypedDict):
    id: str
    name: str
    weight: NotRequired[float]
    content: Content


class ExperimentAuto(TypedDict):
    metric: Literal["open", "click", "conversion"]
    conversion: NotRequired[str]
    afterMinutes: int
    minMinutes: NotRequired[int]
    alpha: NotRequired[float]
    minUsers: NotRequired[int]
    ifInconclusive: Literal["none", "best"]


class CreateCampaignBodySendRate(TypedDict):
    perMinute: int


class DryRunNotificationBodySamples(TypedDict):
    subscriptionIds: NotRequired[List[str]]
    random: NotRequired[int]
    seed: NotRequired[Union[int, str]]


class DryRunNotificationAnswer(TypedDict):
    audience: DryRunNotificationAnswerAudience
    unreachable: DryRunNotificationAnswerUnreachable
    skips: List[DryRunNotificationAnswerSkips]
    waves: List[DryRunNotificationAnswerWaves]
    experiment: Optional[DryRunNotificationAnswerExperiment]
    locales: List[DryRunNotificationAnswerLocales]
    bytes: List[DryRunNotificationAnswerBytes]
    samples: List[DryRunNotificationAnswerSamples]
    warnings: List[DryRunNotificationAnswerWarnings]
    estimate: DryRunNotificationAnswerEstimate


class DryRunNotificationAnswerAudience(TypedDict):
    devices: int
    users: int
    byPlatform: DryRunNotificationAnswerAudienceByPlatform
    exact: bool
    sampleSize: NotRequired[int]
    interval: NotRequired[List[int]]


class DryRunNotificationAnswerAudienceByPlatform(TypedDict):
    ios: int
    android: int
    web: int


class DryRunNotificationAnswerUnreachable(TypedDict):
    optedOut: int
    invalidated: int


class DryRunNotificationAnswerSkips(TypedDict):
    reason: str
    devices: int
    exact: bool
    sampleSize: NotRequired[int]
    interval: NotRequired[List[int]]


class DryRunNotificationAnswerWaves(TypedDict):
    at: str
    devices: int


class DryRunNotificationAnswerExperiment(TypedDict):
    inSample: int
    remainder: int
    byVariant: Dict[str, int]


class DryRunNotificationAnswerLocales(TypedDict):
    locale: str
    devices: int
    fallback: int


class DryRunNotificationAnswerBytes(TypedDict):
    platform: Literal["ios", "android", "web"]
    locale: Optional[str]
    variant: Optional[str]
    max: int
    limit: int
    truncated: bool


class DryRunNotificationAnswerSamples(TypedDict):
    subscriptionId: str
    userId: str
    platform: Literal["ios", "android", "web"]
    variant: Optional[str]
    locale: Optional[str]
    entry: Optional[DryRunNotificationAnswerSamplesEntry]
    payload: Optional[Dict[str, Any]]
    bytes: Optional[int]
    limit: int
    skip: Optional[str]
    warnings: List[str]


class DryRunNotificationAnswerSamplesEntry(TypedDict):
    title: str
    body: str
    url: NotRequired[str]
    image: NotRequired[str]
    actions: NotRequired[List[DryRunNotificationAnswerSamplesEntryActions]]


class DryRunNotificationAnswerSamplesEntryActions(TypedDict):
    id: str
    title: str
    url: NotRequired[str]


class DryRunNotificationAnswerWarnings(TypedDict):
    code: str
    path: str
    message: str
    devices: Optional[int]


class DryRunNotificationAnswerEstimate(TypedDict):
    seconds: Optional[int]
    perSecond: Optional[float]
    basis: str


class Drafted(TypedDict):
    id: str
    status: Literal["draft"]


class Started(TypedDict):
    status: Literal["sending", "scheduled", "active"]


class Cancelled(TypedDict):
    status: Literal["cancelled"]


class PickWinnerBody(TypedDict):
    variant: str


class RecallCampaignBody(TypedDict):
    mode: Literal["stop", "replace", "dismiss"]
    content: NotRequired[Content]
    templateId: NotRequired[str]
    skipOpened: NotRequired[bool]


class Recalled(TypedDict):
    id: str
    status: Literal["scheduled", "cancelled", "sending", "paused"]


class CampaignStats(TypedDict):
    id: str
    status: Literal["draft", "scheduled", "sending", "active", "sent", "cancelled", "failed", "paused"]
    stats: CampaignStatsStats
    rates: CampaignStatsRates


class CampaignStatsStats(TypedDict):
    queued: int
    sent: int
    failed: int
    skipped: int
    delivered: int
    opened: int
    clicked: int
    dismissed: int
    conversions: NotRequired[Dict[str, CampaignStatsStatsConversionsValue]]
    variants: NotRequired[Dict[str, CampaignStatsStatsVariantsValue]]


class CampaignStatsStatsConversionsValue(TypedDict):
    count: int
    direct: int
    influenced: int
    users: int
    value: Dict[str, str]


class CampaignStatsStatsVariantsValue(TypedDict):
    sent: int
    failed: int
    skipped: int
    delivered: int
    opened: int
    clicked: int
    dismissed: int
    conversions: NotRequired[Dict[str, CampaignStatsStatsVariantsValueConversionsValue]]


class CampaignStatsStatsVariantsValueConversionsValue(TypedDict):
    count: int
    direct: int
    influenced: int
    users: int
    value: Dict[str, str]


class CampaignStatsRates(TypedDict):
    """delivered divided by sent; opened and clicked divided by delivered. Four decimals; null when the divisor is 0."""

    delivery: Optional[float]
    open: Optional[float]
    click: Optional[float]


class ExplainCampaignAnswer(TypedDict):
    campaignId: str
    status: Literal["draft", "scheduled", "sending", "active", "sent", "cancelled", "failed", "paused"]
    startedAt: Optional[str]
    fannedOutAt: Optional[str]
    user: Optional[ExplainCampaignAnswerUser]
    devices: List[ExplainCampaignAnswerDevices]
    recalls: NotRequired[List[ExplainCampaignAnswerRecalls]]


class ExplainCampaignAnswerUser(TypedDict):
    id: str
    externalId: Optional[str]


class ExplainCampaignAnswerDevices(TypedDict):
    subscriptionId: str
    platform: Optional[Literal["ios", "android", "web"]]
    verdict: Literal["sent", "failed", "skipped", "in_flight", "retrying", "held", "waiting", "not_queued"]
    certainty: Literal["recorded", "derived", "likely"]
    sentence: str
    waitingFor: Optional[Union[ExplainCampaignAnswerDevicesWaitingForEmpty, ExplainCampaignAnswerDevicesWaitingForScanned, ExplainCampaignAnswerDevicesWaitingForEmpty, ExplainCampaignAnswerDevicesWaitingForWave, ExplainCampaignAnswerDevicesWaitingForEmpty, ExplainCampaignAnswerDevicesWaitingForPlatform, ExplainCampaignAnswerDevicesWaitingForEmpty, ExplainCampaignAnswerDevicesWaitingForProviderCode, ExplainCampaignAnswerDevicesWaitingForEmpty, ExplainCampaignAnswerDevicesWaitingForPerMinute]]
    steps: List[Union[ExplainCampaignAnswerDevicesStepsCreatedAt, ExplainCampaignAnswerDevicesStepsOptedIn, ExplainCampaignAnswerDevicesStepsQueuedFor, ExplainCampaignAnswerDevicesStepsKind, ExplainCampaignAnswerDevicesStepsChangedSince, ExplainCampaignAnswerDevicesStepsInSample, ExplainCampaignAnswerDevicesStepsZoneKnown, ExplainCampaignAnswerDevicesStepsStart, ExplainCampaignAnswerDevicesStepsMax, ExplainCampaignAnswerDevicesStepsCut, ExplainCampaignAnswerDevicesStepsQueuedAt, ExplainCampaignAnswerDevicesStepsLocale, ExplainCampaignAnswerDevicesStepsEmpty, ExplainCampaignAnswerDevicesStepsOutcome, ExplainCampaignAnswerDevicesStepsReports, ExplainCampaignAnswerDevicesStepsCategory, ExplainCampaignAnswerDevicesStepsHeldOut, ExplainCampaignAnswerDevicesStepsMode]]


class ExplainCampaignAnswerDevicesWaitingForEmpty(TypedDict):
    kind: Literal["schedule"]
    at: Optional[str]


class ExplainCampaignAnswerDevicesWaitingForScanned(TypedDict):
    kind: Literal["fan_out"]
    scanned: int
    of: Optional[int]


class ExplainCampaignAnswerDevicesWaitingForWave(TypedDict):
    kind: Literal["wave"]
    at: str
    wave: int
    of: int


class ExplainCampaignAnswerDevicesWaitingForPlatform(TypedDict):
    kind: Literal["circuit"]
    platform: Literal["ios", "android", "web"]
    environment: str
    code: Optional[Literal["token_dead", "token_invalid", "sender_mismatch", "payload_too_large", "payload_invalid", "credentials_invalid", "not_configured", "rate_limited", "provider_unavailable", "network_error", "timeout", "encryption_failed", "internal"]]
    since: str
    probeAt: Optional[str]
    at: Optional[str]


class ExplainCampaignAnswerDevicesWaitingForProviderCode(TypedDict):
    kind: Literal["retry"]
    at: str
    code: Optional[str]
    providerCode: Optional[str]


class ExplainCampaignAnswerDevicesWaitingForPerMinute(TypedDict):
    """Its turn: the send has a sendRate. Null: the turns come this far later."""

    kind: Literal["rate"]
    at: Optional[str]
    perMinute: int


class ExplainCampaignAnswerDevicesStepsCreatedAt(TypedDict):
    step: Literal["device"]
    result: Literal["pass", "stop", "wait", "info"]
    basis: Literal["recorded", "frozen", "now"]
    createdAt: Optional[str]
    inBounds: Optional[bool]
    deleted: bool


class ExplainCampaignAnswerDevicesStepsOptedIn(TypedDict):
    step: Literal["reachable"]
    result: Literal["pass", "stop", "wait", "info"]
    basis: Literal["recorded", "frozen", "now"]
    optedIn: bool
    optedOutAt: Optional[str]
    invalidatedAt: Optional[str]
    invalidatedBy: Optional[ExplainCampaignAnswerDevicesStepsOptedInInvalidatedBy]
    registeredAt: str


class ExplainCampaignAnswerDevicesStepsOptedInInvalidatedBy(TypedDict):
    code: str
    campaignId: Optional[str]


class ExplainCampaignAnswerDevicesStepsQueuedFor(TypedDict):
    step: Literal["owner"]
    result: Literal["pass", "stop", "wait", "info"]
    basis: Literal["recorded", "frozen", "now"]
    queuedFor: str
    ownerNow: Optional[str]


class ExplainCampaignAnswerDevicesStepsKind(TypedDict):
    step: Literal["target"]
    result: Literal["pass", "stop", "wait", "info"]
    basis: Literal["recorded", "frozen", "now"]
    kind: Literal["externalIds", "userIds", "subscriptionIds", "all", "activity"]
    listed: bool


class ExplainCampaignAnswerDevicesStepsChangedSince(TypedDict):
    step: Literal["segment"]
    result: Literal["pass", "stop", "wait", "info"]
    basis: Literal["recorded", "frozen", "now"]
    changedSince: bool
    leaves: List[ExplainCampaignAnswerDevicesStepsChangedSinceLeaves]


class ExplainCampaignAnswerDevicesStepsChangedSinceLeaves(TypedDict):
    path: str
    field: str
    op: str
    wanted: Any
    actual: Optional[Union[str, float, bool]]
    matched: bool


class ExplainCampaignAnswerDevicesStepsInSample(TypedDict):
    step: Literal["experiment"]
    result: Literal["pass", "stop", "wait", "info"]
    basis: Literal["recorded", "frozen", "now"]
    inSample: bool
    sampleRate: float
    variant: Optional[str]
    remainderOf: Optional[str]


class ExplainCampaignAnswerDevicesStepsZoneKnown(TypedDict):
    step: Literal["wave"]
    result: Literal["pass", "stop", "wait", "info"]
    basis: Literal["recorded", "frozen", "now"]
    zone: str
    zoneKnown: bool
    at: str
    wave: Optional[int]
    of: Optional[int]
    expired: bool


class ExplainCampaignAnswerDevicesStepsStart(TypedDict):
    step: Literal["quiet_hours"]
    result: Literal["pass", "stop", "wait", "info"]
    basis: Literal["recorded", "frozen", "now"]
    start: str
    end: str
    zone: str
    until: Optional[str]


class ExplainCampaignAnswerDevicesStepsMax(TypedDict):
    step: Literal["frequency_cap"]
    result: Literal["pass", "stop", "wait", "info"]
    basis: Literal["recorded", "frozen", "now"]
    max: int
    windowSeconds: int
    counted: List[ExplainCampaignAnswerDevicesStepsMaxCounted]


class ExplainCampaignAnswerDevicesStepsMaxCounted(TypedDict):
    campaignId: str
    at: str


class ExplainCampaignAnswerDevicesStepsCut(TypedDict):
    step: Literal["page"]
    result: Literal["pass", "stop", "wait", "info"]
    basis: Literal["recorded", "frozen", "now"]
    cut: bool


class ExplainCampaignAnswerDevicesStepsQueuedAt(TypedDict):
    step: Literal["batch"]
    result: Literal["pass", "stop", "wait", "info"]
    basis: Literal["recorded", "frozen", "now"]
    queuedAt: str
    lane: Literal["prompt", "bulk"]
    notBefore: Optional[str]
    tries: int
    leasedUntil: Optional[str]
    circuit: Optional[ExplainCampaignAnswerDevicesStepsQueuedAtCircuit]


class ExplainCampaignAnswerDevicesStepsQueuedAtCircuit(TypedDict):
    code: Optional[str]
    since: str
    probeAt: Optional[str]


class ExplainCampaignAnswerDevicesStepsLocale(TypedDict):
    step: Literal["message"]
    result: Literal["pass", "stop", "wait", "info"]
    basis: Literal["recorded", "frozen", "now"]
    locale: Optional[str]
    fallback: bool
    bytes: Optional[int]
    limit: int
    truncated: bool
    dropped: List[str]


class ExplainCampaignAnswerDevicesStepsEmpty(TypedDict):
    step: Literal["attempts"]
    result: Literal["pass", "stop", "wait", "info"]
    basis: Literal["recorded", "frozen", "now"]
    attempts: List[ExplainCampaignAnswerDevicesStepsEmptyAttempts]


class ExplainCampaignAnswerDevicesStepsEmptyAttempts(TypedDict):
    n: int
    at: str
    code: Optional[str]
    providerCode: Optional[str]


class ExplainCampaignAnswerDevicesStepsOutcome(TypedDict):
    step: Literal["outcome"]
    result: Literal["pass", "stop", "wait", "info"]
    basis: Literal["recorded", "frozen", "now"]
    outcome: Literal["sent", "failed", "skipped", "past_retention"]
    code: Optional[str]
    providerCode: Optional[str]
    attempts: Optional[int]
    settledAt: Optional[str]


class ExplainCampaignAnswerDevicesStepsReports(TypedDict):
    step: Literal["reports"]
    result: Literal["pass", "stop", "wait", "info"]
    basis: Literal["recorded", "frozen", "now"]
    reports: List[ExplainCampaignAnswerDevicesStepsReportsReports]
    conversions: NotRequired[List[ExplainCampaignAnswerDevicesStepsReportsConversions]]


class ExplainCampaignAnswerDevicesStepsReportsReports(TypedDict):
    kind: Literal["delivered", "opened", "clicked", "dismissed"]
    at: str


class ExplainCampaignAnswerDevicesStepsReportsConversions(TypedDict):
    name: str
    at: str
    how: Literal["direct", "influenced"]


class ExplainCampaignAnswerDevicesStepsCategory(TypedDict):
    step: Literal["category"]
    result: Literal["pass", "stop", "wait", "info"]
    basis: Literal["recorded", "frozen", "now"]
    category: str
    subscribed: bool
    default: Literal["in", "out"]


class ExplainCampaignAnswerDevicesStepsHeldOut(TypedDict):
    """Whether the user is in the group that gets no campaign."""

    step: Literal["holdout"]
    result: Literal["pass", "stop", "wait", "info"]
    basis: Literal["recorded", "frozen", "now"]
    heldOut: bool
    percent: float


class ExplainCampaignAnswerDevicesStepsMode(TypedDict):
    """Whether the device is one that a recall asks to replace or remove a notification."""

    step: Literal["recall"]
    result: Literal["pass", "stop", "wait", "info"]
    basis: Literal["recorded", "frozen", "now"]
    of: str
    mode: Literal["replace", "dismiss"]
    sent: bool
    opened: bool
    skipOpened: bool


class ExplainCampaignAnswerRecalls(TypedDict):
    campaignId: str
    mode: Literal["replace", "dismiss"]
    status: Literal["draft", "scheduled", "sending", "active", "sent", "cancelled", "failed", "paused"]


class ReadCampaignBreakdownAnswer(TypedDict):
    byPlatform: ReadCampaignBreakdownAnswerByPlatform
    codes: Optional[List[ReadCampaignBreakdownAnswerCodes]]
    variants: Dict[str, ReadCampaignBreakdownAnswerVariantsValue]
    actions: List[ReadCampaignBreakdownAnswerActions]


class ReadCampaignBreakdownAnswerByPlatform(TypedDict):
    ios: ReadCampaignBreakdownAnswerByPlatformIos
    android: ReadCampaignBreakdownAnswerByPlatformAndroid
    web: ReadCampaignBreakdownAnswerByPlatformWeb


class ReadCampaignBreakdownAnswerByPlatformIos(TypedDict):
    queued: int
    open: int
    sent: Optional[int]
    failed: Optional[int]
    skipped: Optional[int]


class ReadCampaignBreakdownAnswerByPlatformAndroid(TypedDict):
    queued: int
    open: int
    sent: Optional[int]
    failed: Optional[int]
    skipped: Optional[int]


class ReadCampaignBreakdownAnswerByPlatformWeb(TypedDict):
    queued: int
    open: int
    sent: Optional[int]
    failed: Optional[int]
    skipped: Optional[int]


class ReadCampaignBreakdownAnswerCodes(TypedDict):
    platform: Literal["ios", "android", "web"]
    outcome: Literal["sent", "failed", "skipped"]
    code: str
    count: int


class ReadCampaignBreakdownAnswerVariantsValue(TypedDict):
    sent: int
    failed: int
    skipped: int
    delivered: int
    opened: int
    clicked: int
    dismissed: int


class ReadCampaignBreakdownAnswerActions(TypedDict):
    action: str
    clicked: int


class PreviewSegmentBody(TypedDict):
    segment: NotRequired[Segment]


class SegmentCount(TypedDict):
    count: int
    byPlatform: SegmentCountByPlatform


class SegmentCountByPlatform(TypedDict):
    ios: int
    android: int
    web: int


class SegmentList(TypedDict):
    segments: List[SavedSegment]
    nextCursor: Optional[str]


class SavedSegment(TypedDict):
    id: str
    name: str
    description: Optional[str]
    definition: Dict[str, Any]
    lastCount: Optional[int]
    lastCountedAt: Optional[str]
    createdAt: str
    updatedAt: str


class SaveSegment(TypedDict):
    name: str
    description: NotRequired[Optional[str]]
    definition: Segment


class TemplateList(TypedDict):
    templates: List[Template]
    nextCursor: Optional[str]


class Template(TypedDict):
    id: str
    name: str
    description: Optional[str]
    content: Dict[str, Any]
    data: Optional[Dict[str, str]]
    presentation: Optional[Presentation]
    overrides: Optional[Overrides]
    ttl: Optional[int]
    collapseId: Optional[str]
    priority: Optional[Literal["high", "normal"]]
    silent: Optional[bool]
    category: Optional[str]
    sendRate: Optional[TemplateSendRate]
    useCount: int
    createdAt: str
    updatedAt: str


class TemplateSendRate(TypedDict):
    perMinute: int


class SaveTemplate(TypedDict):
    name: str
    description: NotRequired[Optional[str]]
    content: Content
    silent: NotRequired[bool]
    data: NotRequired[CustomData]
    ttl: NotRequired[int]
    collapseId: NotRequired[str]
    priority: NotRequired[Literal["high", "normal"]]
    presentation: NotRequired[Presentation]
    overrides: NotRequired[Overrides]
    category: NotRequired[str]
    sendRate: NotRequired[SaveTemplateSendRate]


class SaveTemplateSendRate(TypedDict):
    perMinute: int


class WebPushKey(TypedDict):
    publicKey: str


class PutActivityStartTokenBody(TypedDict):
    token: str


class TokenKept(TypedDict):
    id: str


class PutActivityBody(TypedDict):
    attributesType: str
    token: str


class SendLiveActivityBody(TypedDict):
    activityId: str
    event: Literal["start", "update", "end"]
    target: NotRequired[Target]
    attributesType: str
    attributes: NotRequired[Dict[str, Any]]
    contentState: Dict[str, Any]
    alert: NotRequired[Content]
    staleAt: NotRequired[str]
    dismissAt: NotRequired[str]
    relevanceScore: NotRequired[float]
    priority: NotRequired[Literal["high", "normal"]]
    ttl: NotRequired[int]


class WebhookDelivery(TypedDict):
    id: str
    events: List[WebhookEvent]


WebhookEvent = Union["NotificationSentEvent", "NotificationDeliveredEvent", "NotificationOpenedEvent", "NotificationClickedEvent", "NotificationDismissedEvent", "NotificationConvertedEvent", "NotificationFailedEvent", "NotificationSkippedEvent", "SubscriptionInvalidatedEvent", "CampaignCompletedEvent", "PingEvent"]


class NotificationSentEvent(TypedDict):
    """A provider took the push."""

    type: Literal["notification.sent"]
    id: str
    ts: str
    appId: str
    campaignId: str
    userId: str
    subscriptionId: str
    platform: Literal["ios", "android", "web"]
    externalId: NotRequired[str]
    data: NotRequired[NotificationSentEventData]


class NotificationSentEventData(TypedDict):
    test: NotRequired[Literal[True]]


class NotificationDeliveredEvent(TypedDict):
    """The device reports it."""

    type: Literal["notification.delivered"]
    id: str
    ts: str
    appId: str
    campaignId: str
    userId: str
    subscriptionId: str
    platform: Literal["ios", "android", "web"]
    externalId: NotRequired[str]
    data: NotRequired[NotificationDeliveredEventData]


class NotificationDeliveredEventData(TypedDict):
    action: NotRequired[str]
    test: NotRequired[Literal[True]]


class NotificationOpenedEvent(TypedDict):
    """The device reports it."""

    type: Literal["notification.opened"]
    id: str
    ts: str
    appId: str
    campaignId: str
    userId: str
    subscriptionId: str
    platform: Literal["ios", "android", "web"]
    externalId: NotRequired[str]
    data: NotRequired[NotificationOpenedEventData]


class NotificationOpenedEventData(TypedDict):
    action: NotRequired[str]
    test: NotRequired[Literal[True]]


class NotificationClickedEvent(TypedDict):
    """The device reports it."""

    type: Literal["notification.clicked"]
    id: str
    ts: str
    appId: str
    campaignId: str
    userId: str
    subscriptionId: str
    platform: Literal["ios", "android", "web"]
    externalId: NotRequired[str]
    data: NotRequired[NotificationClickedEventData]


class NotificationClickedEventData(TypedDict):
    action: NotRequired[str]
    test: NotRequired[Literal[True]]


class NotificationDismissedEvent(TypedDict):
    """The device reports it."""

    type: Literal["notification.dismissed"]
    id: str
    ts: str
    appId: str
    campaignId: str
    userId: str
    subscriptionId: str
    platform: Literal["ios", "android", "web"]
    externalId: NotRequired[str]
    data: NotRequired[NotificationDismissedEventData]


class NotificationDismissedEventData(TypedDict):
    action: NotRequired[str]
    test: NotRequired[Literal[True]]


class NotificationConvertedEvent(TypedDict):
    """A conversion is attributed to the push."""

    type: Literal["notification.converted"]
    id: str
    ts: str
    appId: str
    campaignId: str
    userId: str
    subscriptionId: str
    platform: Literal["ios", "android", "web"]
    externalId: NotRequired[str]
    data: NotificationConvertedEventData


class NotificationConvertedEventData(TypedDict):
    name: str
    value: Optional[str]
    currency: Optional[str]
    eventId: str
    how: Literal["direct", "influenced"]


class NotificationFailedEvent(TypedDict):
    """The push could not be sent."""

    type: Literal["notification.failed"]
    id: str
    ts: str
    appId: str
    campaignId: str
    userId: str
    subscriptionId: str
    platform: Literal["ios", "android", "web"]
    externalId: NotRequired[str]
    data: NotificationFailedEventData


class NotificationFailedEventData(TypedDict):
    code: str
    providerCode: Optional[str]
    attempts: int
    test: NotRequired[Literal[True]]


class NotificationSkippedEvent(TypedDict):
    """The push was not to be sent."""

    type: Literal["notification.skipped"]
    id: str
    ts: str
    appId: str
    campaignId: str
    userId: str
    subscriptionId: str
    platform: Literal["ios", "android", "web"]
    externalId: NotRequired[str]
    data: NotificationSkippedEventData


class NotificationSkippedEventData(TypedDict):
    reason: str
    test: NotRequired[Literal[True]]


class SubscriptionInvalidatedEvent(TypedDict):
    """A provider says that the device’s token is dead."""

    type: Literal["subscription.invalidated"]
    id: str
    ts: str
    appId: str
    campaignId: str
    userId: str
    subscriptionId: str
    platform: Literal["ios", "android", "web"]
    externalId: NotRequired[str]
    data: SubscriptionInvalidatedEventData


class SubscriptionInvalidatedEventData(TypedDict):
    code: str
    test: NotRequired[Literal[True]]


class CampaignCompletedEvent(TypedDict):
    """Every push of a campaign is queued, not necessarily sent. It is of no user and no device."""

    type: Literal["campaign.completed"]
    id: str
    ts: str
    appId: str
    campaignId: str
    data: CampaignCompletedEventData


class CampaignCompletedEventData(TypedDict):
    queued: int
    byPlatform: CampaignCompletedEventDataByPlatform
    name: str
    transactional: bool
    test: NotRequired[Literal[True]]


class CampaignCompletedEventDataByPlatform(TypedDict):
    ios: int
    android: int
    web: int


class PingEvent(TypedDict):
    """Somebody tested the endpoint."""

    type: Literal["ping"]
    id: str
    ts: str
    appId: str


def _part(value: str) -> str:
    return quote(value, safe="")


class Operations:
    """One method for each operation. Lists give one page: pass its `nextCursor` as `cursor` to get the next one."""

    def request(
        self,
        method: str,
        path: str,
        *,
        body: Any = None,
        query: Optional[Mapping[str, Any]] = None,
        idempotency_key: Optional[str] = None,
        repeatable: Optional[bool] = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        raise NotImplementedError

    def rotate_subscription(self, body: RotateSubscriptionBody, **options: Unpack[CallOptions]) -> Rotated:
        """Give a browser its new endpoint. The device keeps its id. Another device that already has the new endpoint is
        removed. 404 when the old endpoint is unknown."""
        return self.request("POST", "/v1/subscriptions/rotate", body=body, **options)

    def change_subscription(self, id: str, body: ChangeSubscriptionBody, **options: Unpack[CallOptions]) -> OptedIn:
        """Change a device. What belongs to the device and not to its user; at least one field."""
        return self.request("PATCH", f"/v1/subscriptions/{_part(id)}", body=body, **options)

    def delete_subscription(self, id: str, **options: Unpack[CallOptions]) -> None:
        """Remove a device. An anonymous user is deleted with the last device."""
        return self.request("DELETE", f"/v1/subscriptions/{_part(id)}", **options)

    def start_session(self, id: str, body: Optional[StartSessionBody] = None, **options: Unpack[CallOptions]) -> Session:
        """Say that the app came to the foreground. Counts a session when the one before began 30 minutes ago or earlier.
        The body may be left out."""
        return self.request("POST", f"/v1/subscriptions/{_part(id)}/session", body={} if body is None else body, repeatable=True, **options)

    def login_subscription(self, id: str, body: LoginSubscriptionBody, **options: Unpack[CallOptions]) -> LoggedIn:
        """Log a user in on a device. Names the anonymous user, or moves the device to the user who has this external id."""
        return self.request("POST", f"/v1/subscriptions/{_part(id)}/login", body=body, repeatable=True, **options)

    def logout_subscription(self, id: str, **options: Unpack[CallOptions]) -> LoggedOut:
        """Log the user out of a device. The device goes to a new anonymous user without tags."""
        return self.request("POST", f"/v1/subscriptions/{_part(id)}/logout", **options)

    def change_owner(self, id: str, body: UserChanges, **options: Unpack[CallOptions]) -> OwnerChanged:
        """Change the tags and fields of the user who owns a device. Tags merge, null deletes one. The change reaches
        every device of the user. PATCH and POST do the same."""
        return self.request("PATCH", f"/v1/subscriptions/{_part(id)}/user", body=body, **options)

    def change_users(self, body: ChangeUsersBody, **options: Unpack[CallOptions]) -> UsersChanged:
        """Change up to 500 users. Each item names a user by `externalId` or `userId` and merges into them as PATCH does;
        an unknown external id makes a user. A wrong item leaves the others alone: read `results`, where `index` is
        the place in the request. The others are one transaction, and a repeat changes nothing."""
        return self.request("POST", "/v1/users/batch", body=body, repeatable=True, **options)

    def read_user(self, id: str, **options: Unpack[CallOptions]) -> User:
        """Read a user with all devices. Tokens show their last characters only."""
        return self.request("GET", f"/v1/users/{_part(id)}", **options)

    def change_user(self, id: str, body: UserChanges, **options: Unpack[CallOptions]) -> User:
        """Change a user. Tags merge, null deletes one; at least one field."""
        return self.request("PATCH", f"/v1/users/{_part(id)}", body=body, **options)

    def delete_user(self, id: str, **options: Unpack[CallOptions]) -> None:
        """Erase a user. Deletes the user and all devices. Past events keep ids only."""
        return self.request("DELETE", f"/v1/users/{_part(id)}", **options)

    def read_user_by_external_id(self, external_id: str, **options: Unpack[CallOptions]) -> User:
        """Read a user with all devices. Tokens show their last characters only."""
        return self.request("GET", f"/v1/users/by-external-id/{_part(external_id)}", **options)

    def change_user_by_external_id(self, external_id: str, body: UserChanges, **options: Unpack[CallOptions]) -> User:
        """Change a user. Tags merge, null deletes one; at least one field. An unknown external id makes a user without
        devices; a later login finds it."""
        return self.request("PATCH", f"/v1/users/by-external-id/{_part(external_id)}", body=body, **options)

    def delete_user_by_external_id(self, external_id: str, **options: Unpack[CallOptions]) -> None:
        """Erase a user. Deletes the user and all devices. Past events keep ids only."""
        return self.request("DELETE", f"/v1/users/by-external-id/{_part(external_id)}", **options)

    def read_preferences_of_device(self, id: str, **options: Unpack[CallOptions]) -> ShownPreferences:
        """Read which categories the owner of a device is in."""
        return self.request("GET", f"/v1/subscriptions/{_part(id)}/preferences", **options)

    def change_preferences_of_device(self, id: str, body: ChangePreferencesOfDeviceBody, **options: Unpack[CallOptions]) -> ShownPreferences:
        """Let the owner of a device join or leave categories. Changes the categories that the body names: true joins,
        false leaves, null takes the own choice back, so that the default of the category holds. The choice holds for
        all devices of the person. A locked category is 422."""
        return self.request("PATCH", f"/v1/subscriptions/{_part(id)}/preferences", body=body, **options)

    def read_preferences(self, id: str, **options: Unpack[CallOptions]) -> ShownPreferences:
        """Read which categories a person is in."""
        return self.request("GET", f"/v1/users/{_part(id)}/preferences", **options)

    def change_preferences(self, id: str, body: ChangePreferencesBody, **options: Unpack[CallOptions]) -> ShownPreferences:
        """Let a person join or leave categories. Changes the categories that the body names: true joins, false leaves,
        null takes the own choice back, so that the default of the category holds. The choice holds for all devices of
        the person. A locked category is 422."""
        return self.request("PATCH", f"/v1/users/{_part(id)}/preferences", body=body, **options)

    def read_preferences_by_external_id(self, external_id: str, **options: Unpack[CallOptions]) -> ShownPreferences:
        """Read which categories a person is in."""
        return self.request("GET", f"/v1/users/by-external-id/{_part(external_id)}/preferences", **options)

    def change_preferences_by_external_id(self, external_id: str, body: ChangePreferencesByExternalIdBody, **options: Unpack[CallOptions]) -> ShownPreferences:
        """Let a person join or leave categories. Changes the categories that the body names: true joins, false leaves,
        null takes the own choice back, so that the default of the category holds. The choice holds for all devices of
        the person. A locked category is 422. An unknown external id makes a user without devices."""
        return self.request("PATCH", f"/v1/users/by-external-id/{_part(external_id)}/preferences", body=body, **options)

    def report_conversions(self, body: ReportConversionsBody, **options: Unpack[CallOptions]) -> ConversionsReported:
        """Report up to 500 conversions, such as orders. Each names its user by `externalId` or `userId` and is
        attributed to the push that led to it. An id counts once, so a repeat with the same times changes nothing. A
        wrong item leaves the others alone: read `results`, which are in the order of the request."""
        return self.request("POST", "/v1/conversions", body=body, repeatable=True, **options)

    def report_conversion(self, id: str, body: ReportConversionBody, **options: Unpack[CallOptions]) -> ConversionReported:
        """Report a conversion of the user who owns a device. An id counts once, so a repeat with the same time changes
        nothing. With a public key `value` is 422 unless the app’s setting `conversions.publicValues` allows it,
        because that key is in everybody’s hands."""
        return self.request("POST", f"/v1/subscriptions/{_part(id)}/conversions", body=body, repeatable=True, **options)

    def read_inbox_of_device(self, id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None, **options: Unpack[CallOptions]) -> Inbox:
        """Read the inbox of a device’s owner. Sends with `inbox: true` of the last days (the app’s setting `inboxDays`),
        newest first, one item for each send: also when its push failed or was skipped because the person has switched
        pushes off. Texts are in the person’s language of now. With a public key an identified owner needs
        x-identity-token, whatever the app’s setting says."""
        return self.request("GET", f"/v1/subscriptions/{_part(id)}/inbox", query={"limit": limit, "cursor": cursor}, **options)

    def mark_inbox_of_device(self, id: str, body: MarkInboxBody, **options: Unpack[CallOptions]) -> None:
        """Mark items of the inbox of a device’s owner as read. `ids` names items, `all: true` means all that were sent
        up to `before` or now. `read: false` makes them unread again. With a public key an identified owner needs
        x-identity-token, whatever the app’s setting says."""
        return self.request("POST", f"/v1/subscriptions/{_part(id)}/inbox/read", body=body, repeatable=True, **options)

    def hide_inbox_item_of_device(self, id: str, item_id: str, **options: Unpack[CallOptions]) -> None:
        """Hide an item of the inbox of a device’s owner. The item does not come back. An unknown item changes nothing.
        With a public key an identified owner needs x-identity-token, whatever the app’s setting says."""
        return self.request("DELETE", f"/v1/subscriptions/{_part(id)}/inbox/{_part(item_id)}", **options)

    def read_inbox(self, id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None, **options: Unpack[CallOptions]) -> Inbox:
        """Read a person’s inbox. Sends with `inbox: true` of the last days (the app’s setting `inboxDays`), newest
        first, one item for each send: also when its push failed or was skipped because the person has switched pushes
        off. Texts are in the person’s language of now."""
        return self.request("GET", f"/v1/users/{_part(id)}/inbox", query={"limit": limit, "cursor": cursor}, **options)

    def mark_inbox(self, id: str, body: MarkInboxBody, **options: Unpack[CallOptions]) -> None:
        """Mark items of a person’s inbox as read. `ids` names items, `all: true` means all that were sent up to `before`
        or now. `read: false` makes them unread again."""
        return self.request("POST", f"/v1/users/{_part(id)}/inbox/read", body=body, repeatable=True, **options)

    def hide_inbox_item(self, id: str, item_id: str, **options: Unpack[CallOptions]) -> None:
        """Hide an item of a person’s inbox. The item does not come back. An unknown item changes nothing."""
        return self.request("DELETE", f"/v1/users/{_part(id)}/inbox/{_part(item_id)}", **options)

    def read_inbox_by_external_id(self, external_id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None, **options: Unpack[CallOptions]) -> Inbox:
        """Read a person’s inbox. Sends with `inbox: true` of the last days (the app’s setting `inboxDays`), newest
        first, one item for each send: also when its push failed or was skipped because the person has switched pushes
        off. Texts are in the person’s language of now."""
        return self.request("GET", f"/v1/users/by-external-id/{_part(external_id)}/inbox", query={"limit": limit, "cursor": cursor}, **options)

    def mark_inbox_by_external_id(self, external_id: str, body: MarkInboxBody, **options: Unpack[CallOptions]) -> None:
        """Mark items of a person’s inbox as read. `ids` names items, `all: true` means all that were sent up to `before`
        or now. `read: false` makes them unread again."""
        return self.request("POST", f"/v1/users/by-external-id/{_part(external_id)}/inbox/read", body=body, repeatable=True, **options)

    def hide_inbox_item_by_external_id(self, external_id: str, item_id: str, **options: Unpack[CallOptions]) -> None:
        """Hide an item of a person’s inbox. The item does not come back. An unknown item changes nothing."""
        return self.request("DELETE", f"/v1/users/by-external-id/{_part(external_id)}/inbox/{_part(item_id)}", **options)

    def send_notification(self, body: SendNotificationBody, *, idempotency_key: Optional[str] = None, **options: Unpack[CallOptions]) -> Accepted:
        """Send a notification. Accepts a notification to users, devices, a segment or everyone. The id that it answers
        leads to the outcomes."""
        return self.request("POST", "/v1/notifications", body=body, idempotency_key=idempotency_key or str(uuid4()), **options)

    def send_notifications(self, body: SendNotificationsBody, *, idempotency_key: Optional[str] = None, **options: Unpack[CallOptions]) -> SendsAccepted:
        """Send up to 100 notifications. Each item is sent or refused by itself, as POST /v1/notifications would, and
        counts in its limit: read `results`, where `index` is the place in the request. An item with an
        `idempotencyKey`, or any item when the request has the header, is sent once: a repeated request sends only
        what is missing."""
        return self.request("POST", "/v1/notifications/batch", body=body, idempotency_key=idempotency_key or str(uuid4()), **options)

    def dry_run_notification(self, body: DryRunNotificationBody, **options: Unpack[CallOptions]) -> DryRunNotificationAnswer:
        """Try a notification or a campaign without sending it. Answers whom the send would reach, who would be skipped
        and why, when, in which languages, and how large the pushes are. The code that sends counts and renders here
        too. Nothing is sent or written. Samples show values of users, so they need the scope users:read too (of an
        administration key: people)."""
        return self.request("POST", "/v1/notifications/dry-run", body=body, repeatable=True, **options)

    def create_campaign(self, body: CreateCampaignBody, *, idempotency_key: Optional[str] = None, **options: Unpack[CallOptions]) -> Drafted:
        """Make a draft of a campaign. Nothing is sent. With neither segment nor segmentId it is for everyone. Fields
        given here win over those of the template."""
        return self.request("POST", "/v1/campaigns", body=body, idempotency_key=idempotency_key or str(uuid4()), **options)

    def cancel_campaign(self, id: str, **options: Unpack[CallOptions]) -> Cancelled:
        """Cancel a campaign that has not begun."""
        return self.request("POST", f"/v1/campaigns/{_part(id)}/cancel", **options)

    def pick_winner(self, id: str, body: PickWinnerBody, **options: Unpack[CallOptions]) -> Accepted:
        """Send the winning variant to the rest of the audience. Makes and sends a campaign of its own to everyone who
        was held out of the experiment."""
        return self.request("POST", f"/v1/campaigns/{_part(id)}/experiment/winner", body=body, **options)

    def recall_campaign(self, id: str, body: RecallCampaignBody, *, idempotency_key: Optional[str] = None, **options: Unpack[CallOptions]) -> Recalled:
        """Recall a campaign that went out by mistake. Cancels what is unsent. With `replace` or `dismiss` a follow-up
        then asks each device to which the campaign was sent to show another text in its place, or to remove it.
        Devices are asked, and what was read is read: a device that is off gets the follow-up later or never, and
        browsers cannot be asked to remove."""
        return self.request("POST", f"/v1/campaigns/{_part(id)}/recall", body=body, idempotency_key=idempotency_key or str(uuid4()), **options)

    def read_campaign_stats(self, id: str, **options: Unpack[CallOptions]) -> CampaignStats:
        """Read the counters of a campaign. Counters go on changing after the campaign is sent, because devices report
        later. A rate is null while there is nothing to divide by."""
        return self.request("GET", f"/v1/campaigns/{_part(id)}/stats", **options)

    def explain_campaign(self, id: str, *, subscription_id: Optional[str] = None, user_id: Optional[str] = None, external_id: Optional[str] = None, **options: Unpack[CallOptions]) -> ExplainCampaignAnswer:
        """Explain why a device, or the devices of a user, got a campaign or did not. Exactly one of subscriptionId,
        userId and externalId names whom. The key needs the scope users:read too, because the answer shows values of
        the user. Later versions may add steps."""
        return self.request("GET", f"/v1/campaigns/{_part(id)}/explain", query={"subscriptionId": subscription_id, "userId": user_id, "externalId": external_id}, **options)

    def read_campaign_breakdown(self, id: str, **options: Unpack[CallOptions]) -> ReadCampaignBreakdownAnswer:
        """Read the counters of a campaign by platform, code, variant and button. The key needs the scope users:read too."""
        return self.request("GET", f"/v1/campaigns/{_part(id)}/breakdown", **options)

    def preview_segment(self, body: Optional[PreviewSegmentBody] = None, **options: Unpack[CallOptions]) -> SegmentCount:
        """Count the devices that a segment would reach. Counts devices that are opted in and not invalidated, as a send
        would. Without a segment, or with {}, everyone is counted."""
        return self.request("POST", "/v1/segments/preview", body={} if body is None else body, repeatable=True, **options)

    def list_segments(self, *, q: Optional[str] = None, limit: Optional[int] = None, cursor: Optional[str] = None, **options: Unpack[CallOptions]) -> SegmentList:
        """List saved segments, newest first."""
        return self.request("GET", "/v1/segments", query={"q": q, "limit": limit, "cursor": cursor}, **options)

    def create_segment(self, body: SaveSegment, **options: Unpack[CallOptions]) -> SavedSegment:
        """Save a segment."""
        return self.request("POST", "/v1/segments", body=body, **options)

    def read_segment(self, id: str, **options: Unpack[CallOptions]) -> SavedSegment:
        """Read a saved segment."""
        return self.request("GET", f"/v1/segments/{_part(id)}", **options)

    def replace_segment(self, id: str, body: SaveSegment, **options: Unpack[CallOptions]) -> SavedSegment:
        """Replace a saved segment. Replaces name, description and definition, and clears the stored count. Campaigns
        already sent keep what they copied."""
        return self.request("PUT", f"/v1/segments/{_part(id)}", body=body, **options)

    def delete_segment(self, id: str, **options: Unpack[CallOptions]) -> None:
        """Delete a saved segment. A draft that still points at it gets 404 when it is sent."""
        return self.request("DELETE", f"/v1/segments/{_part(id)}", **options)

    def count_segment(self, id: str, **options: Unpack[CallOptions]) -> SegmentCount:
        """Count the devices of a saved segment and keep the count."""
        return self.request("POST", f"/v1/segments/{_part(id)}/count", repeatable=True, **options)

    def list_templates(self, *, q: Optional[str] = None, limit: Optional[int] = None, cursor: Optional[str] = None, **options: Unpack[CallOptions]) -> TemplateList:
        """List templates, newest first."""
        return self.request("GET", "/v1/templates", query={"q": q, "limit": limit, "cursor": cursor}, **options)

    def create_template(self, body: SaveTemplate, **options: Unpack[CallOptions]) -> Template:
        """Make a template."""
        return self.request("POST", "/v1/templates", body=body, **options)

    def read_template(self, id: str, **options: Unpack[CallOptions]) -> Template:
        """Read a template."""
        return self.request("GET", f"/v1/templates/{_part(id)}", **options)

    def replace_template(self, id: str, body: SaveTemplate, **options: Unpack[CallOptions]) -> Template:
        """Replace a template. Replaces the whole: an optional field that is left out is removed. Campaigns that used it
        keep their copy."""
        return self.request("PUT", f"/v1/templates/{_part(id)}", body=body, **options)

    def delete_template(self, id: str, **options: Unpack[CallOptions]) -> None:
        """Delete a template. Campaigns that used it keep their copy."""
        return self.request("DELETE", f"/v1/templates/{_part(id)}", **options)

    def read_web_push_key(self, **options: Unpack[CallOptions]) -> WebPushKey:
        """Read the key that a page subscribes with. The applicationServerKey of PushManager.subscribe. A subscription
        that was made with another key gets nothing: subscribe anew. 404 while Web Push is not configured."""
        return self.request("GET", "/v1/web-push-key", **options)

    def put_activity_start_token(self, id: str, attributes_type: str, body: PutActivityStartTokenBody, **options: Unpack[CallOptions]) -> TokenKept:
        """Say with which token a device starts a type of Live Activity. Call it with each of `pushToStartTokenUpdates`.
        Only iOS; a device keeps at most 20 tokens. That of an activity goes 12 hours after its last change, one for
        starting after 90 days."""
        return self.request("PUT", f"/v1/subscriptions/{_part(id)}/activity-start-tokens/{_part(attributes_type)}", body=body, **options)

    def put_activity(self, id: str, activity_id: str, body: PutActivityBody, **options: Unpack[CallOptions]) -> TokenKept:
        """Say with which token a device’s Live Activity is updated. Call it with each of the activity’s
        `pushTokenUpdates`. The activity’s id is yours, and any number of devices may have it. Only iOS; a device
        keeps at most 20 tokens. That of an activity goes 12 hours after its last change, one for starting after 90
        days."""
        return self.request("PUT", f"/v1/subscriptions/{_part(id)}/activities/{_part(activity_id)}", body=body, **options)

    def delete_activity(self, id: str, activity_id: str, **options: Unpack[CallOptions]) -> None:
        """Say that a device’s Live Activity has ended. An activity that the device does not have changes nothing."""
        return self.request("DELETE", f"/v1/subscriptions/{_part(id)}/activities/{_part(activity_id)}", **options)

    def send_live_activity(self, body: SendLiveActivityBody, *, idempotency_key: Optional[str] = None, **options: Unpack[CallOptions]) -> Accepted:
        """Start, update or end a Live Activity. A start reaches the devices of `target` that have a start token for the
        type; update and end reach the devices that have the activity. The id that it answers leads to the outcomes,
        as that of a notification does."""
        return self.request("POST", "/v1/live-activities", body=body, idempotency_key=idempotency_key or str(uuid4()), **options)
