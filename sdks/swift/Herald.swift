// Herald for Swift, in one file and without dependencies. Copy it into your iOS app and into its notification service extension; docs/guide/ios.md
// says how to use it. `npm run test:mobile` compiles it on Linux and runs it against a real gateway. It has not been run on a device.
import Foundation
import UIKit
import UserNotifications
#if canImport(ActivityKit)
import ActivityKit
#endif

/// The error of a call. `status` is the HTTP status, or 0 when there was no answer. `fields` names the fields that Herald refused. The error contains no
/// token, key or external id.
public struct HeraldError: Error {
  public let status: Int
  public let code: String
  public let message: String
  public var fields: [String] = []
  var retryAfter: TimeInterval = 0

  /// Whether the same may succeed later.
  public var isTemporary: Bool { status == 0 || status == 429 || status >= 500 }
}

/// A kind of notifications. `subscribed`: whether the user gets them. Nobody can leave a `locked` one.
public struct HeraldCategory: Sendable {
  public let id: String
  public let name: String
  public let description: String?
  public let subscribed: Bool
  public let locked: Bool
}

/// A client of Herald for one iOS app on one device. Registrations and changes run one after another, in the order in which they were made.
public actor Herald {
  private let baseUrl: URL
  private let appKey: String
  private let store: UserDefaults
  private let session: URLSession
  private static let dayInSeconds: TimeInterval = 86_400
  private static let mostCategories = 50
  private static let mostWaiting = 50
  private static let longestWait: TimeInterval = 4
  private static let longestRest: TimeInterval = 3_600
  private static let sdkVersion = "0.2.0"
  private let identityToken: (@Sendable (_ externalId: String) async throws -> String?)?
  /// Ends when the last registration or change has ended. Each registration and change first waits for it, because an actor may begin a second call
  /// while the first waits for an answer.
  private var turn: Task<Void, Never> = Task {}

  /// - Parameters:
  ///   - baseUrl: the address of Herald, such as `https://push.example.com`
  ///   - appKey: the public key of your app in Herald (`pk_live_…`)
  ///   - group: the app group that the iOS app shares with its extension, if it has one
  ///   - identityToken: gives the identity token that your backend makes for an external id, or nil. It is called before each login, also before one that
  ///     was stored. While it throws, the login waits. It must not call this client.
  public init(
    baseUrl: URL, appKey: String, group: String? = nil, identityToken: (@Sendable (_ externalId: String) async throws -> String?)? = nil
  ) {
    precondition(appKey.hasPrefix("pk_"), "appKey must be a public key: a secret key in an app is everybody's")
    self.baseUrl = baseUrl
    self.appKey = appKey
    self.identityToken = identityToken
    self.store = group.flatMap { UserDefaults(suiteName: $0) } ?? .standard
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = 10
    configuration.timeoutIntervalForResource = 10
    configuration.httpShouldSetCookies = false
    self.session = URLSession(configuration: configuration)
  }

  /// The id of this device at Herald; nil before the first registration. On a phone that was restored from the backup of another one it is nil too until
  /// this phone has registered, because the stored id is the other phone's.
  public var subscriptionId: String? {
    get async {
      let phone = await Self.phone()
      return isStoredBy(phone) ? store.string(forKey: "herald.id") : nil
    }
  }

  private var waiting: [[String: Any]] {
    get { store.array(forKey: "herald.waiting") as? [[String: Any]] ?? [] }
    set { store.set(newValue, forKey: "herald.waiting") }
  }

  /// The reports that wait to be sent, the newest first.
  private var reports: [[String: Any]] {
    get { store.array(forKey: "herald.reports") as? [[String: Any]] ?? [] }
    set { store.set(newValue, forKey: "herald.reports") }
  }

  private var isOptedOut: Bool { store.bool(forKey: "herald.optedOut") }

  /// Registers this device, with the versions of iOS, of your app and of this file and the model of the phone. Call it at every start and when the token
  /// has changed: the device then stays the same one at Herald. When the device has registered the same within 7 days, and Herald knows it, it only sends
  /// what waits and reports a session. It does nothing while the user has opted out, because a registration would opt the device in again. When Herald
  /// refuses an optional field, the device is registered without it.
  public func register(token: Data, language: String? = nil, timezone: String? = nil, appVersion: String? = nil) async throws {
    try await inTurn { try await self.registerNow(token: token, language: language, timezone: timezone, appVersion: appVersion) }
  }

  private func registerNow(token: Data, language: String?, timezone: String?, appVersion: String?) async throws {
    if isOptedOut { return }
    let hex = Self.hex(token)
    var optional: [String: String] = ["sdkVersion": Self.sdkVersion, "osVersion": Self.osVersion(), "deviceModel": Self.deviceModel()]
    optional["language"] = language
    optional["timezone"] = timezone
    optional["appVersion"] = appVersion ?? Bundle.main.infoDictionary?["CFBundleShortVersionString"] as? String
    var fields = optional.filter { !$0.value.isEmpty }
    fields["platform"] = "ios"
    fields["token"] = hex
    let print = fields.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: "&")
    let registeredAt = store.double(forKey: "herald.registeredAt")
    let isFresh = Date().timeIntervalSince1970 - registeredAt < 7 * Self.dayInSeconds
    let phone = await Self.phone()
    let isSamePhone = isStoredBy(phone)
    if isSamePhone && store.string(forKey: "herald.id") != nil && isFresh && store.string(forKey: "herald.print") == print {
      try await sendWaiting()
      try await reportSession()
      return
    }
    // The token in the backup of another phone is in use there, and naming it would take that phone's device.
    let known = isSamePhone ? store.string(forKey: "herald.token") : nil
    let old = known == hex ? nil : known
    do {
      _ = try await sendRegistration(fields, old: old)
    } catch let refused as HeraldError {
      let spare = Set(optional.keys).intersection(refused.fields)
      if refused.status != 422 || spare.isEmpty { throw refused }
      _ = try await sendRegistration(fields.filter { !spare.contains($0.key) }, old: old)
    }
    store.set(hex, forKey: "herald.token")
    store.set(print, forKey: "herald.print")
    try await sendWaiting()
  }

  /// Registers the device, and stores the registration to repeat when Herald does not know the device any more. A device with a new id belongs to an
  /// anonymous user, so the login of the present user is then sent again, before everything that waits. The user in the backup of another phone is
  /// forgotten.
  private func sendRegistration(_ fields: [String: String], old: String?) async throws -> String {
    var body = fields
    body["old"] = old
    let phone = await Self.phone()
    let answer = try await call("POST", "/v1/subscriptions", body: body)
    guard let id = answer["id"] as? String else { throw HeraldError(status: 0, code: "network_error", message: "The answer is not Herald's") }
    if !isStoredBy(phone) { store.removeObject(forKey: "herald.user") }
    if let user = store.string(forKey: "herald.user"), id != store.string(forKey: "herald.id"), waiting.first?["path"] as? String != "login" {
      let login = try Self.entry("POST", "login", ["externalId": user])
      waiting = [login] + waiting
    }
    store.set(id, forKey: "herald.id")
    store.set(phone, forKey: "herald.phone")
    store.set(fields, forKey: "herald.registration")
    store.set(Date().timeIntervalSince1970, forKey: "herald.registeredAt")
    return id
  }

  private static func osVersion() -> String {
    let version = ProcessInfo.processInfo.operatingSystemVersion
    return "\(version.majorVersion).\(version.minorVersion)" + (version.patchVersion == 0 ? "" : ".\(version.patchVersion)")
  }

  /// Gives the model as Apple names it, such as `iPhone16,2`.
  private static func deviceModel() -> String {
    var system = utsname()
    uname(&system)
    return withUnsafeBytes(of: system.machine) { bytes in String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
  }

  /// Tells one phone from another: a phone that is restored from the backup of another one has another identifier. Gives nil while iOS does not tell it,
  /// before the phone is first unlocked after a start; then what is stored is not used.
  private static func phone() async -> String? {
    await MainActor.run { UIDevice.current.identifierForVendor?.uuidString }
  }

  /// Whether what is stored about the device was stored by this phone.
  private func isStoredBy(_ phone: String?) -> Bool {
    phone != nil && store.string(forKey: "herald.phone") == phone
  }

  /// Reports that the user has opened the app.
  public func foreground() async throws {
    try await inTurn {
      try await self.sendWaiting()
      try await self.reportSession()
    }
  }

  /// Gives the device to this user. When your app in Herald requires verified identities, give `Herald` an `identityToken`.
  public func login(_ externalId: String) async throws {
    try await change("POST", "login", ["externalId": externalId])
  }

  /// Gives the device to a new anonymous user. Drops waiting logins and changes of the user; a waiting opt-out or opt-in is about the device and stays,
  /// and what the user did is sent before.
  public func logout() async throws {
    store.removeObject(forKey: "herald.user")
    waiting = waiting.filter { ["", Self.conversions].contains($0["path"] as? String) || Self.isOfActivity($0) }
    try await change("POST", "logout", nil)
  }

  /// Changes tags of the user; `NSNull()` deletes a tag. Values are text, numbers, true and false.
  public func setTags(_ tags: [String: Any]) async throws {
    try await change("PATCH", "user", ["tags": tags])
  }

  public func setUser(language: String? = nil, timezone: String? = nil, country: String? = nil) async throws {
    var fields: [String: String] = [:]
    fields["language"] = language
    fields["timezone"] = timezone
    fields["country"] = country
    try await change("PATCH", "user", fields)
  }

  /// Gives the kinds of notifications of your app, and which of them the user gets. Throws when Herald cannot be reached, or the device is not registered.
  public func categories() async throws -> [HeraldCategory] {
    guard let id = await subscriptionId else { throw HeraldError(status: 0, code: "not_registered", message: "The device is not registered") }
    let answer = try await call("GET", "/v1/subscriptions/\(id)/preferences", body: nil)
    let listed = answer["categories"] as? [[String: Any]] ?? []
    return listed.map { one in
      HeraldCategory(
        id: one["id"] as? String ?? "", name: one["name"] as? String ?? "", description: one["description"] as? String,
        subscribed: one["subscribed"] as? Bool ?? false, locked: one["locked"] as? Bool ?? false)
    }
  }

  /// Lets the user join (true) or leave (false) categories, on all devices of the user; nil takes the user's own choice back. When Herald cannot be
  /// reached, a later call sends it.
  public func setCategories(_ choices: [String: Bool?]) async throws {
    var categories: [String: Any] = [:]
    for (id, choice) in choices { categories[id] = choice.map { $0 as Any } ?? NSNull() }
    try await change("PATCH", "preferences", ["categories": categories])
  }

  /// Takes the user of this push out of its category: offer it when `userInfo["herald"]` has a `category`. It is sent like a report, later if need be.
  public func leaveCategory(_ userInfo: [AnyHashable: Any]) async {
    guard let msgId = Self.msgId(userInfo) else { return }
    await sendReports(["u/\(msgId)"])
  }

  /// Reports a conversion of the user, such as an order. `id` is yours and counts once. When it cannot be sent now, a later call sends it, within 7 days,
  /// also after a logout. A `value` needs the app's setting for public values.
  public func trackConversion(id: String, name: String, value: Decimal? = nil, currency: String? = nil, msgId: String? = nil) async throws {
    let formatter = ISO8601DateFormatter()
    formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
    var fields: [String: Any] = ["id": id, "name": name, "at": formatter.string(from: Date())]
    if let value { fields["value"] = NSDecimalNumber(decimal: value) }
    if let currency { fields["currency"] = currency }
    if let msgId { fields["msgId"] = msgId }
    try await change("POST", Self.conversions, fields)
  }

  /// Tells Herald the token with which it may start Live Activities of a type. `followActivities` does it for you.
  public func setStartToken(_ token: Data, attributesType: String) async throws {
    try await change("PUT", "activity-start-tokens/\(attributesType)", ["token": Self.hex(token)])
  }

  /// Tells Herald the token with which it updates a Live Activity. `activityId` is the one that your backend names. `followActivities` does it for you.
  public func setActivityToken(_ token: Data, activityId: String, attributesType: String) async throws {
    try await change("PUT", "activities/\(activityId)", ["attributesType": attributesType, "token": Self.hex(token)])
  }

  /// Tells Herald that a Live Activity of this device has ended.
  public func endActivity(_ activityId: String) async throws {
    try await change("DELETE", "activities/\(activityId)", nil)
  }

  private static func hex(_ token: Data) -> String { token.map { String(format: "%02x", $0) }.joined() }

  /// Tells Herald the number that the app shows on its icon, from which sends with `badgeIncrement` go on; a session has set it to 0. It is not stored:
  /// throws when Herald cannot be reached, because the number would be another one later.
  public func setBadge(_ badge: Int) async throws {
    try await inTurn {
      guard let id = await self.subscriptionId else { throw HeraldError(status: 0, code: "not_registered", message: "The device is not registered") }
      _ = try await self.call("PATCH", "/v1/subscriptions/\(id)", body: ["badge": badge])
    }
  }

  /// Stops all pushes until `optIn`. The choice is stored on the device at once. When Herald cannot be reached, a later call sends it.
  public func optOut() async throws {
    try await opt(false)
  }

  /// Allows pushes again. Registers the device again when Herald has forgotten it while the user had opted out.
  public func optIn() async throws {
    try await opt(true)
  }

  private func opt(_ isIn: Bool) async throws {
    store.set(!isIn, forKey: "herald.optedOut")
    waiting = waiting.filter { $0["path"] as? String != "" }
    try await change("PATCH", "", ["optedIn": isIn])
  }

  /// Removes the device from Herald, and forgets it here. The next `register` makes a new device.
  public func unregister() async throws {
    try await inTurn { try await self.unregisterNow() }
  }

  private func unregisterNow() async throws {
    let known = await subscriptionId
    if let id = known {
      do {
        _ = try await call("DELETE", "/v1/subscriptions/\(id)", body: nil)
      } catch let refused as HeraldError {
        if refused.status != 404 { throw refused }
      }
    }
    for name in ["id", "phone", "token", "print", "registration", "registeredAt", "user", "waiting", "optedOut"] {
      store.removeObject(forKey: "herald.\(name)")
    }
  }

  /// Reports that a push was shown. Call it after `contentHandler`, so that the report does not delay the notification.
  /// A report that cannot be sent is sent after a later call, for at most 7 days. At most 50 reports wait.
  public func delivered(_ userInfo: [AnyHashable: Any]) async {
    guard let msgId = Self.msgId(userInfo) else { return }
    await sendReports(["d/\(msgId)"])
  }

  /// Reports what the user did with a push, and gives the link to open, if there is one. `action` is the identifier of the response.
  @discardableResult
  public func handle(_ userInfo: [AnyHashable: Any], action: String) async -> URL? {
    guard let msgId = Self.msgId(userInfo) else { return nil }
    if action == UNNotificationDismissActionIdentifier {
      await sendReports(["x/\(msgId)"])
      return nil
    }
    let isBody = action == UNNotificationDefaultActionIdentifier
    let herald = userInfo["herald"] as? [String: Any]
    let actions = herald?["actions"] as? [[String: Any]] ?? []
    let chosen = actions.first { $0["id"] as? String == action }
    let link = (isBody ? herald?["url"] : chosen?["url"] ?? herald?["url"]) as? String
    let name = isBody ? nil : action.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
    let click = "c/\(msgId)" + (name.map { "?action=\($0)" } ?? "")
    await sendReports(["o/\(msgId)"] + (!isBody || link != nil ? [click] : []))
    return link.flatMap { URL(string: $0) }
  }

  /// Removes the notification that a recall names, and reports the push as delivered. Call it in the app delegate's `didReceiveRemoteNotification`.
  /// Gives false for any other push. The identifier of a remote notification is its `apns-collapse-id`
  /// (https://developer.apple.com/documentation/usernotifications/unnotificationrequest/identifier).
  public nonisolated func dismissed(by userInfo: [AnyHashable: Any]) async -> Bool {
    guard let identifier = (userInfo["herald"] as? [String: Any])?["dismiss"] as? String else { return false }
    // https://developer.apple.com/documentation/usernotifications/unusernotificationcenter/removedeliverednotifications(withidentifiers:)
    await MainActor.run { UNUserNotificationCenter.current().removeDeliveredNotifications(withIdentifiers: [identifier]) }
    await delivered(userInfo)
    return true
  }

  /// Adds a push's picture to its notification, for a notification service extension. Gives the notification unchanged when the push has no picture,
  /// or when the picture does not load. Loading ends when nothing more of the picture arrives for 10 s.
  public nonisolated func picture(for content: UNNotificationContent) async -> UNNotificationContent {
    let herald = content.userInfo["herald"] as? [String: Any]
    guard let text = herald?["image"] as? String, let url = URL(string: text), url.scheme == "https",
      let changed = content.mutableCopy() as? UNMutableNotificationContent
    else { return content }
    var request = URLRequest(url: url)
    request.timeoutInterval = 10
    guard let (file, answer) = try? await URLSession.shared.download(for: request), (answer as? HTTPURLResponse)?.statusCode == 200 else { return content }
    let name = file.deletingLastPathComponent().appendingPathComponent(UUID().uuidString + "." + (answer.suggestedFilename.map { ($0 as NSString).pathExtension } ?? "jpg"))
    guard (try? FileManager.default.moveItem(at: file, to: name)) != nil, let attachment = try? UNNotificationAttachment(identifier: "image", url: name) else { return content }
    changed.attachments = [attachment]
    return changed
  }

  /// Adds a push's buttons to its notification, for a notification service extension, and has iOS tell the app when the user closes it: iOS does so only
  /// for a category that asks for it (https://developer.apple.com/documentation/usernotifications/unnotificationdismissactionidentifier). A push that
  /// names a category of your app stays as it is.
  public nonisolated func buttons(for content: UNNotificationContent) async -> UNNotificationContent {
    guard Self.msgId(content.userInfo) != nil, content.categoryIdentifier.isEmpty, let changed = content.mutableCopy() as? UNMutableNotificationContent
    else { return content }
    let given = (content.userInfo["herald"] as? [String: Any])?["actions"] as? [[String: Any]] ?? []
    let actions = given.compactMap { one -> UNNotificationAction? in
      guard let id = one["id"] as? String, let title = one["title"] as? String else { return nil }
      return UNNotificationAction(identifier: id, title: title, options: .foreground)
    }
    let name = "herald." + actions.map { "\($0.identifier)=\($0.title)" }.joined(separator: "&")
    let center = UNUserNotificationCenter.current()
    var known = await center.notificationCategories()
    if !known.contains(where: { $0.identifier == name }) {
      // Older notifications lose their buttons when there have been this many sets of buttons.
      if known.filter({ $0.identifier.hasPrefix("herald.") }).count >= Self.mostCategories { known = known.filter { !$0.identifier.hasPrefix("herald.") } }
      known.insert(UNNotificationCategory(identifier: name, actions: actions, intentIdentifiers: [], options: .customDismissAction))
      center.setNotificationCategories(known)
      // Setting returns before it is done. Reading waits for it.
      _ = await center.notificationCategories()
    }
    changed.categoryIdentifier = name
    return changed
  }

  private func inTurn(_ work: @escaping @Sendable () async throws -> Void) async throws {
    let before = turn
    let mine = Task {
      await before.value
      try await work()
      await self.sendReports()
    }
    turn = Task { _ = try? await mine.value }
    try await mine.value
  }

  /// Sends one change of the user or the device, after all earlier changes. While it cannot be sent it stays stored, for at most 7 days. When more than
  /// 50 changes wait, the oldest login or change of the user is dropped. Logouts, opt-outs and opt-ins are never dropped.
  private func change(_ method: String, _ path: String, _ body: [String: Any]?) async throws {
    let entry = try Self.entry(method, path, body)
    var changes = waiting + [entry]
    if changes.count > Self.mostWaiting, let oldest = changes.firstIndex(where: Self.isSpare) { changes.remove(at: oldest) }
    waiting = changes
    try await inTurn { try await self.sendWaiting() }
  }

  private static func entry(_ method: String, _ path: String, _ body: [String: Any]?) throws -> [String: Any] {
    var entry: [String: Any] = ["id": UUID().uuidString, "method": method, "path": path, "at": Date().timeIntervalSince1970]
    if let body { entry["body"] = try JSONSerialization.data(withJSONObject: body) }
    return entry
  }

  /// The path below a device to which conversions are reported.
  private static let conversions = "conversions"

  /// Whether a change is about the user's data. Users rely on logouts, opt-outs and opt-ins.
  private static func isSpare(_ change: [String: Any]) -> Bool {
    let path = change["path"] as? String
    return path == "login" || path == "user" || path == conversions || path == "preferences" || isOfActivity(change)
  }

  /// Whether a change is about the token of a Live Activity, which is the device's.
  private static func isOfActivity(_ change: [String: Any]) -> Bool {
    (change["path"] as? String)?.hasPrefix("activit") == true
  }

  /// Sends the waiting changes in order, and stops at the first that cannot be sent now. Drops a change that Herald refuses, and throws the refusal. A 401
  /// drops nothing, because a later version of the iOS app may have a right key. After a 404 it begins anew, once.
  private func sendWaiting() async throws {
    let oldest = Date().timeIntervalSince1970 - 7 * Self.dayInSeconds
    waiting = waiting.filter { !Self.isSpare($0) || ($0["at"] as? TimeInterval ?? 0) > oldest }
    var isAnew = false
    do {
      while true {
        var known = await subscriptionId
        if known == nil { known = try await registerAgain() }
        guard let id = known, let next = waiting.first else { return }
        do {
          try await send(next, id: id)
        } catch let refused as HeraldError {
          if refused.isTemporary || refused.status == 401 { throw refused }
          if refused.status == 404 && !isAnew {
            isAnew = true
            beginAnew()
            continue
          }
          remove(next)
          throw refused
        }
        remove(next)
      }
    } catch let refused as HeraldError {
      if !refused.isTemporary { throw refused }
    }
  }

  private func send(_ change: [String: Any], id: String) async throws {
    let path = change["path"] as? String ?? ""
    let body = (change["body"] as? Data).flatMap { try? JSONSerialization.jsonObject(with: $0) as? [String: Any] }
    let user = path == "login" ? body?["externalId"] as? String : nil
    var token: String?
    if let user, let identityToken {
      do {
        token = try await identityToken(user)
      } catch {
        throw HeraldError(status: 0, code: "identity_token_failed", message: "identityToken has thrown")
      }
    }
    let whole = "/v1/subscriptions/\(id)" + (path.isEmpty ? "" : "/\(path)")
    _ = try await call(change["method"] as? String ?? "PATCH", whole, body: body, identityToken: token)
    // A logout that was called meanwhile has dropped the login, and its user must not come back.
    if let user, place(of: change) != nil { store.set(user, forKey: "herald.user") }
  }

  private func place(of change: [String: Any]) -> Int? {
    waiting.firstIndex { $0["id"] as? String == change["id"] as? String }
  }

  /// Removes a change that was sent or refused. Others may have been added or dropped while it was being sent.
  private func remove(_ change: [String: Any]) {
    if let place = place(of: change) { waiting.remove(at: place) }
  }

  /// Forgets a device that Herald does not know any more, and drops the opt-ins, opt-outs and logouts that wait for it. Other changes wait for the new
  /// device.
  private func beginAnew() {
    waiting = waiting.filter(Self.isSpare)
    store.removeObject(forKey: "herald.id")
  }

  /// Repeats the last registration. Gives nil when this phone has made none, or the user has opted out.
  private func registerAgain() async throws -> String? {
    let phone = await Self.phone()
    guard !isOptedOut, isStoredBy(phone), let registration = store.dictionary(forKey: "herald.registration") as? [String: String] else { return nil }
    return try await sendRegistration(registration, old: nil)
  }

  /// Reports a session. When Herald does not know the device any more, it begins anew. Any other failure passes without an error.
  private func reportSession() async throws {
    guard let id = await subscriptionId else { return }
    do {
      _ = try await call("POST", "/v1/subscriptions/\(id)/session", body: nil)
    } catch {
      if (error as? HeraldError)?.status != 404 { return }
      beginAnew()
      try await sendWaiting()
    }
  }

  /// Stores fresh reports, and sends them and after them those that wait from earlier, until one cannot be sent now. Drops one that Herald refuses.
  private func sendReports(_ fresh: [String] = []) async {
    let now = Date().timeIntervalSince1970
    let young = reports.filter { ($0["at"] as? TimeInterval ?? 0) > now - 7 * Self.dayInSeconds }
    let all = Array((fresh.map { ["path": $0, "at": now] as [String: Any] } + young).prefix(Self.mostWaiting))
    reports = all
    for path in all.compactMap({ $0["path"] as? String }) {
      do {
        _ = try await call("POST", path.hasPrefix("u/") ? "/v1/\(path)" : "/v1/e/\(path)", body: nil, seconds: 5, triesLeft: 0)
      } catch {
        if (error as? HeraldError)?.isTemporary ?? true { return }
      }
      reports = reports.filter { $0["path"] as? String != path }
    }
  }

  private static func msgId(_ userInfo: [AnyHashable: Any]) -> String? {
    (userInfo["herald"] as? [String: Any])?["msgId"] as? String
  }

  /// Sends a request. After a 429 or 5xx it waits as long as Retry-After says, and sends it again. When that is longer than 4 s, or no try is left, it
  /// throws, and for that time, at most an hour, every request throws without being sent.
  private func call(
    _ method: String, _ path: String, body: [String: Any]?, identityToken: String? = nil, seconds: TimeInterval = 10, triesLeft: Int = 2
  ) async throws -> [String: Any] {
    let rest = store.double(forKey: "herald.restUntil") - Date().timeIntervalSince1970
    // A longer rest comes from a clock that was set back.
    if rest > 0 && rest <= Self.longestRest {
      if triesLeft == 0 || rest > Self.longestWait {
        throw HeraldError(status: 0, code: "asked_to_wait", message: "Herald has asked to wait for \(Int(rest) + 1) s")
      }
      try await Task.sleep(nanoseconds: UInt64(rest * 1_000_000_000))
    }
    do {
      return try await ask(method, path, body: body, identityToken: identityToken, seconds: seconds)
    } catch let refused as HeraldError {
      if refused.status == 0 || !refused.isTemporary { throw refused }
      let wait = max(Double.random(in: 0...2), refused.retryAfter)
      if triesLeft == 0 || wait > Self.longestWait {
        store.set(Date().timeIntervalSince1970 + min(refused.retryAfter, Self.longestRest), forKey: "herald.restUntil")
        throw refused
      }
      try await Task.sleep(nanoseconds: UInt64(wait * 1_000_000_000))
    }
    return try await call(method, path, body: body, identityToken: identityToken, seconds: seconds, triesLeft: triesLeft - 1)
  }

  private func ask(_ method: String, _ path: String, body: [String: Any]?, identityToken: String?, seconds: TimeInterval) async throws -> [String: Any] {
    guard let url = URL(string: baseUrl.absoluteString.trimmingCharacters(in: CharacterSet(charactersIn: "/")) + path) else {
      throw HeraldError(status: 0, code: "invalid_address", message: "baseUrl and path make no address")
    }
    var request = URLRequest(url: url)
    request.httpMethod = method
    request.timeoutInterval = seconds
    request.setValue(appKey, forHTTPHeaderField: "x-app-key")
    if let identityToken { request.setValue(identityToken, forHTTPHeaderField: "x-identity-token") }
    if let body {
      request.setValue("application/json", forHTTPHeaderField: "content-type")
      request.httpBody = try JSONSerialization.data(withJSONObject: body)
    }
    let data: Data
    let answer: URLResponse
    do {
      (data, answer) = try await session.data(for: request)
    } catch {
      throw HeraldError(status: 0, code: "network_error", message: "Herald could not be reached")
    }
    let status = (answer as? HTTPURLResponse)?.statusCode ?? 0
    let fields = (try? JSONSerialization.jsonObject(with: data)) as? [String: Any] ?? [:]
    guard status < 300 else {
      let fault = fields["error"] as? [String: Any]
      let details = fault?["details"] as? [[String: Any]] ?? []
      throw HeraldError(
        status: status, code: fault?["code"] as? String ?? "", message: fault?["message"] as? String ?? "Herald answered \(status)",
        fields: details.compactMap { $0["path"] as? String },
        retryAfter: Self.retryAfter((answer as? HTTPURLResponse)?.value(forHTTPHeaderField: "retry-after")) ?? 0)
    }
    return fields
  }

  /// Reads a `retry-after` header as seconds from now: whole seconds, or an HTTP date in any of its three forms (RFC 9110, 10.2.3 and
  /// 5.6.7). Gives nil for any other text.
  private static func retryAfter(_ header: String?) -> TimeInterval? {
    guard let header else { return nil }
    if !header.isEmpty && header.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }) { return TimeInterval(header) }
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = TimeZone(identifier: "UTC")
    // A year of two digits is at most 50 years ahead.
    format.twoDigitStartDate = Date().addingTimeInterval(-50 * 365 * dayInSeconds)
    // The last form has a second space before a day of one digit.
    let text = header.replacingOccurrences(of: "  ", with: " ")
    for form in ["EEE, dd MMM yyyy HH:mm:ss 'GMT'", "EEEE, dd-MMM-yy HH:mm:ss 'GMT'", "EEE MMM d HH:mm:ss yyyy"] {
      format.dateFormat = form
      if let date = format.date(from: text) { return date.timeIntervalSinceNow }
    }
    return nil
  }
}

#if canImport(ActivityKit)
extension Herald {
  /// Tells Herald the tokens of all Live Activities of a type: those that may start one, from iOS 17.2 on, and those of each activity until it ends. Call
  /// it once at every start of the app, also when iOS starts it in the background, and keep the task. `id` gives the id that your backend names.
  @available(iOS 16.2, *)
  @discardableResult
  public nonisolated func followActivities<Attributes: ActivityAttributes>(
    _ type: Attributes.Type, id: @escaping @Sendable (Attributes) -> String
  ) -> Task<Void, Never> {
    let name = String(describing: type)
    return Task {
      await withTaskGroup(of: Void.self) { group in
        if #available(iOS 17.2, *) {
          group.addTask { for await token in Activity<Attributes>.pushToStartTokenUpdates { try? await self.setStartToken(token, attributesType: name) } }
        }
        for await activity in Activity<Attributes>.activityUpdates {
          let activityId = id(activity.attributes)
          group.addTask {
            for await token in activity.pushTokenUpdates { try? await self.setActivityToken(token, activityId: activityId, attributesType: name) }
          }
          group.addTask {
            for await state in activity.activityStateUpdates where state == .ended || state == .dismissed {
              try? await self.endActivity(activityId)
              return
            }
          }
        }
      }
    }
  }
}
#endif
