// Herald for Swift, in one file and without dependencies. Copy it into your iOS app and into its notification service extension; docs/guide/ios.md
// says how to use it. `npm run test:mobile` parses this file. It has not been compiled, and has not been run on a device.
import Foundation
import UIKit
import UserNotifications

/// The error of a call. `status` is the HTTP status, or 0 when there was no answer. `fields` names the fields that Herald refused. The error contains no
/// token, key or external id.
public struct HeraldError: Error {
  public let status: Int
  public let code: String
  public let message: String
  public var fields: [String] = []
}

/// A client of Herald for one iOS app on one device. Registrations and changes run one after another, in the order in which they were made.
public actor Herald {
  private let baseUrl: URL
  private let appKey: String
  private let store: UserDefaults
  private let session: URLSession
  private static let dayInSeconds: TimeInterval = 86_400
  private static let mostWaiting = 50
  private static let longestRest: TimeInterval = 3_600
  /// The fields of a registration that a device can do without.
  private static let spareFields: Set<String> = ["language", "timezone", "appVersion"]
  /// Until when Herald has asked for a pause (Retry-After). Waiting changes and sessions are not sent before.
  private var restUntil = Date.distantPast
  /// Ends when the last registration or change has ended. Each registration and change first waits for it, because an actor may begin a second call
  /// while the first waits for an answer.
  private var turn: Task<Void, Never> = Task {}

  /// - Parameters:
  ///   - baseUrl: the address of Herald, such as `https://push.example.com`
  ///   - appKey: the public key of your app in Herald (`pk_live_…`)
  ///   - group: the app group that the iOS app shares with its extension, if it has one
  public init(baseUrl: URL, appKey: String, group: String? = nil) {
    precondition(appKey.hasPrefix("pk_"), "appKey must be a public key: a secret key in an app is everybody's")
    self.baseUrl = baseUrl
    self.appKey = appKey
    self.store = group.flatMap { UserDefaults(suiteName: $0) } ?? .standard
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = 10
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

  /// Registers this device. Call it at every start and when the token has changed: the device then stays the same one at Herald. When the device has
  /// registered the same within 7 days, and Herald knows it, it only sends waiting changes and reports a session. It does nothing while the user has
  /// opted out, because a registration would opt the device in again. When Herald refuses the language, time zone or version, the device is registered
  /// without it.
  public func register(token: Data, language: String? = nil, timezone: String? = nil, appVersion: String? = nil) async throws {
    try await inTurn { try await self.registerNow(token: token, language: language, timezone: timezone, appVersion: appVersion) }
  }

  private func registerNow(token: Data, language: String?, timezone: String?, appVersion: String?) async throws {
    if store.bool(forKey: "herald.optedOut") { return }
    let hex = token.map { String(format: "%02x", $0) }.joined()
    var fields: [String: Any] = ["platform": "ios", "token": hex]
    if let language { fields["language"] = language }
    if let timezone { fields["timezone"] = timezone }
    if let appVersion { fields["appVersion"] = appVersion }
    let print = fields.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: "&")
    let registeredAt = store.double(forKey: "herald.registeredAt")
    let isFresh = Date().timeIntervalSince1970 - registeredAt < 7 * Self.dayInSeconds
    let phone = await Self.phone()
    let isSamePhone = isStoredBy(phone)
    if isSamePhone && store.string(forKey: "herald.id") != nil && isFresh && store.string(forKey: "herald.print") == print {
      try await sendWaiting()
      // A 404 means that Herald does not know the device any more, so it is registered again.
      if await foregroundStatus() != 404 { return }
    }
    // The token in the backup of another phone is in use there, and naming it would take that phone's device.
    if isSamePhone, let old = store.string(forKey: "herald.token"), old != hex { fields["old"] = old }
    let answer = try await sendRegistration(fields)
    store.set(answer["id"] as? String, forKey: "herald.id")
    store.set(hex, forKey: "herald.token")
    store.set(phone, forKey: "herald.phone")
    store.set(print, forKey: "herald.print")
    store.set(Date().timeIntervalSince1970, forKey: "herald.registeredAt")
    try await sendWaiting()
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

  private func sendRegistration(_ fields: [String: Any]) async throws -> [String: Any] {
    do {
      return try await call("POST", "/v1/subscriptions", body: fields)
    } catch let refused as HeraldError {
      let spare = Self.spareFields.intersection(refused.fields)
      if refused.status != 422 || spare.isEmpty { throw refused }
      return try await call("POST", "/v1/subscriptions", body: fields.filter { !spare.contains($0.key) })
    }
  }

  /// Reports that the user has opened the app.
  public func foreground() async throws {
    try await inTurn { try await self.sendWaiting() }
    _ = await foregroundStatus()
  }

  /// Gives the device to this user. When your app in Herald requires verified identities, pass an `identityToken` from your backend.
  public func login(_ externalId: String, identityToken: String? = nil) async throws {
    try await change("POST", "login", ["externalId": externalId], identityToken: identityToken)
  }

  /// Gives the device to a new anonymous user. Drops waiting logins and changes of the user; a waiting opt-out or opt-in is about the device and stays.
  public func logout() async throws {
    let waiting = store.array(forKey: "herald.waiting") as? [[String: Any]] ?? []
    store.set(waiting.filter { $0["path"] as? String == "" }, forKey: "herald.waiting")
    try await change("POST", "logout", nil)
  }

  /// Changes tags of the user; `NSNull()` deletes a tag. Values are text, numbers, true and false.
  public func setTags(_ tags: [String: Any]) async throws {
    try await change("PATCH", "user", ["tags": tags])
  }

  /// Stops all pushes until `optIn`. The choice is stored on the device at once. When Herald cannot be reached, a later call sends it.
  public func optOut() async throws {
    store.set(true, forKey: "herald.optedOut")
    try await change("PATCH", "", ["optedIn": false])
  }

  public func optIn() async throws {
    store.set(false, forKey: "herald.optedOut")
    try await change("PATCH", "", ["optedIn": true])
  }

  /// Reports that a push was shown. Call it after `contentHandler`, so that the report does not delay the notification.
  public func delivered(_ userInfo: [AnyHashable: Any]) async {
    guard let msgId = Self.msgId(userInfo) else { return }
    await report("d", msgId)
  }

  /// Reports what the user did with a push, and gives the link to open, if there is one. `action` is the identifier of the response.
  @discardableResult
  public func handle(_ userInfo: [AnyHashable: Any], action: String) async -> URL? {
    guard let msgId = Self.msgId(userInfo) else { return nil }
    if action == UNNotificationDismissActionIdentifier {
      await report("x", msgId)
      return nil
    }
    let isBody = action == UNNotificationDefaultActionIdentifier
    let herald = userInfo["herald"] as? [String: Any]
    let actions = herald?["actions"] as? [[String: Any]] ?? []
    let chosen = actions.first { $0["id"] as? String == action }
    let link = (isBody ? herald?["url"] : chosen?["url"] ?? herald?["url"]) as? String
    await report("o", msgId)
    if !isBody || link != nil { await report("c", msgId, action: isBody ? nil : action) }
    return link.flatMap { URL(string: $0) }
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

  private func inTurn(_ work: @escaping @Sendable () async throws -> Void) async throws {
    let before = turn
    let mine = Task {
      await before.value
      try await work()
    }
    turn = Task { _ = try? await mine.value }
    try await mine.value
  }

  /// Sends one change of the user or the device, after all earlier changes. While it cannot be sent it stays stored, for at most 7 days. When more
  /// than 50 changes wait, the oldest is dropped.
  private func change(_ method: String, _ path: String, _ body: [String: Any]?, identityToken: String? = nil) async throws {
    var waiting = store.array(forKey: "herald.waiting") as? [[String: Any]] ?? []
    var entry: [String: Any] = ["method": method, "path": path, "at": Date().timeIntervalSince1970]
    if let body { entry["body"] = try JSONSerialization.data(withJSONObject: body) }
    waiting.append(entry)
    store.set(Array(waiting.suffix(Self.mostWaiting)), forKey: "herald.waiting")
    try await inTurn { try await self.sendWaiting(identityToken: identityToken) }
  }

  /// Sends the waiting changes in order, and stops at the first that cannot be sent now. Drops a change that Herald refuses, and throws the refusal.
  /// The identity token is sent with the newest change only, the one that it was given for. It is not stored, because it is a secret and valid for an
  /// hour at most.
  private func sendWaiting(identityToken: String? = nil) async throws {
    guard let id = await subscriptionId, Date() >= restUntil else { return }
    let oldest = Date().timeIntervalSince1970 - 7 * Self.dayInSeconds
    var waiting = (store.array(forKey: "herald.waiting") as? [[String: Any]] ?? []).filter { ($0["at"] as? TimeInterval ?? 0) > oldest }
    while let next = waiting.first {
      let path = next["path"] as? String ?? ""
      let body = (next["body"] as? Data).flatMap { try? JSONSerialization.jsonObject(with: $0) as? [String: Any] }
      do {
        let whole = "/v1/subscriptions/\(id)" + (path.isEmpty ? "" : "/\(path)")
        _ = try await call(next["method"] as? String ?? "PATCH", whole, body: body, identityToken: waiting.count == 1 ? identityToken : nil)
      } catch let refused as HeraldError {
        if refused.status == 0 || refused.status == 429 || refused.status >= 500 { break }
        waiting.removeFirst()
        store.set(waiting, forKey: "herald.waiting")
        throw refused
      }
      waiting.removeFirst()
      store.set(waiting, forKey: "herald.waiting")
    }
  }

  /// Reports a session. Gives 200 when Herald took it, else the HTTP status; 0 when there was no answer, or no registered device.
  private func foregroundStatus() async -> Int {
    guard let id = await subscriptionId, Date() >= restUntil else { return 0 }
    do {
      _ = try await call("POST", "/v1/subscriptions/\(id)/session", body: nil)
      return 200
    } catch {
      return (error as? HeraldError)?.status ?? 0
    }
  }

  private func report(_ kind: String, _ msgId: String, action: String? = nil) async {
    let query = action.flatMap { $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) }.map { "?action=\($0)" } ?? ""
    _ = try? await call("POST", "/v1/e/\(kind)/\(msgId)\(query)", body: nil, seconds: 5)
  }

  private static func msgId(_ userInfo: [AnyHashable: Any]) -> String? {
    (userInfo["herald"] as? [String: Any])?["msgId"] as? String
  }

  private func call(_ method: String, _ path: String, body: [String: Any]?, identityToken: String? = nil, seconds: TimeInterval = 10) async throws -> [String: Any] {
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
    if status == 429 || status >= 500, let seconds = Self.retryAfter((answer as? HTTPURLResponse)?.value(forHTTPHeaderField: "retry-after")) {
      restUntil = Date().addingTimeInterval(min(seconds, Self.longestRest))
    }
    guard status < 300 else {
      let fault = fields["error"] as? [String: Any]
      let details = fault?["details"] as? [[String: Any]] ?? []
      throw HeraldError(
        status: status, code: fault?["code"] as? String ?? "", message: fault?["message"] as? String ?? "Herald answered \(status)",
        fields: details.compactMap { $0["path"] as? String })
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
