// Herald for Swift, in one file and without dependencies. Copy it into your app and into its notification service extension; docs/guide/ios.md says how to use it.
// Parsed by `npm run test:mobile`. It has not been compiled and not been run on a device.
import Foundation
import UserNotifications

/// What went wrong with a call. `status` is 0 when no answer came. Holds no token, key or external id.
public struct HeraldError: Error {
  public let status: Int
  public let code: String
  public let message: String
}

/// One app on one device. Calls run in the order in which they are made.
public actor Herald {
  private let baseUrl: URL
  private let appKey: String
  private let store: UserDefaults
  private let session: URLSession
  private static let dayInSeconds: TimeInterval = 86_400
  private static let mostWaiting = 50
  /// While one call of an actor waits for an answer another may begin, so each call first waits for the end of the one before.
  private var turn: Task<Void, Never> = Task {}

  /// - Parameters:
  ///   - baseUrl: where Herald answers, as in `https://push.example.com`
  ///   - appKey: the app's public key (`pk_live_…`)
  ///   - group: the app group that the app shares with its extension, if it has one
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

  /// The id of this device at Herald; nil before the first registration.
  public var subscriptionId: String? { store.string(forKey: "herald.id") }

  /// Registers this device, or finds it again by its token. Call it at every start and when the token has changed. Does nothing while the user has opted
  /// out, because a registration makes a device reachable again. When nothing has changed it registers at most once in 7 days, and only reports that the app came to the
  /// foreground instead.
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
    if subscriptionId != nil && isFresh && store.string(forKey: "herald.print") == print {
      try await sendWaiting()
      // A 404 means that the device was removed at the server, so it is registered again.
      if await foregroundStatus() != 404 { return }
    }
    let answer = try await call("POST", "/v1/subscriptions", body: fields)
    store.set(answer["id"] as? String, forKey: "herald.id")
    store.set(print, forKey: "herald.print")
    store.set(Date().timeIntervalSince1970, forKey: "herald.registeredAt")
    try await sendWaiting()
  }

  /// Says that the app came to the foreground.
  public func foreground() async throws {
    try await inTurn { try await self.sendWaiting() }
    _ = await foregroundStatus()
  }

  /// The device belongs to this user from now on. `identityToken` comes from your backend where the app verifies identities.
  public func login(_ externalId: String, identityToken: String? = nil) async throws {
    try await change("POST", "login", ["externalId": externalId], identityToken: identityToken)
  }

  /// The device belongs to an anonymous user from now on. Changes of the earlier user that still wait are dropped.
  public func logout() async throws {
    store.removeObject(forKey: "herald.waiting")
    try await change("POST", "logout", nil)
  }

  /// Changes tags of the user; `NSNull()` deletes a tag. Values are text, numbers, true and false.
  public func setTags(_ tags: [String: Any]) async throws {
    try await change("PATCH", "user", ["tags": tags])
  }

  /// No more pushes, until `optIn`. It is remembered here at once and told to Herald as soon as it can be reached.
  public func optOut() async throws {
    store.set(true, forKey: "herald.optedOut")
    try await change("PATCH", "", ["optedIn": false])
  }

  public func optIn() async throws {
    store.set(false, forKey: "herald.optedOut")
    try await change("PATCH", "", ["optedIn": true])
  }

  /// Reports that a push was shown. Call it after `contentHandler`, never before: it must not delay the text.
  public func delivered(_ userInfo: [AnyHashable: Any]) async {
    guard let msgId = Self.msgId(userInfo) else { return }
    await report("d", msgId)
  }

  /// Reports what the user did with a push, and gives the link to open. `action` is the identifier of the response.
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

  /// Gives the content with its picture, for a notification service extension; the text alone when there is no picture, or none within 10 s.
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

  /// Sends one change of the user or the device after all earlier ones. Offline it waits, for at most 7 days and with at most 49 others.
  private func change(_ method: String, _ path: String, _ body: [String: Any]?, identityToken: String? = nil) async throws {
    var waiting = store.array(forKey: "herald.waiting") as? [[String: Any]] ?? []
    var entry: [String: Any] = ["method": method, "path": path, "at": Date().timeIntervalSince1970]
    if let body { entry["body"] = try JSONSerialization.data(withJSONObject: body) }
    waiting.append(entry)
    store.set(Array(waiting.suffix(Self.mostWaiting)), forKey: "herald.waiting")
    try await inTurn { try await self.sendWaiting(identityToken: identityToken) }
  }

  /// Sends the waiting changes in order, and stops at the first that cannot be sent now. A change that Herald refuses is dropped, and its refusal is thrown.
  /// An identity token lives for an hour and is a secret: it is not stored, and is sent with the last change only.
  private func sendWaiting(identityToken: String? = nil) async throws {
    guard let id = subscriptionId else { return }
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

  /// Gives the status of the answer; 0 when no answer came.
  private func foregroundStatus() async -> Int {
    guard let id = subscriptionId else { return 0 }
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
    guard status < 300 else {
      let fault = fields["error"] as? [String: Any]
      throw HeraldError(status: status, code: fault?["code"] as? String ?? "", message: fault?["message"] as? String ?? "Herald answered \(status)")
    }
    return fields
  }
}
