// Stands for the parts of ActivityKit that the SDK names, so that a compiler on Linux can check it. The sequences are given by the test.
import Foundation

public protocol ActivityAttributes: Codable, Sendable {
  associatedtype ContentState: Codable & Hashable & Sendable
}

public enum ActivityState: Sendable { case active, ended, dismissed, stale, pending }

public final class Activity<Attributes: ActivityAttributes>: Identifiable, Sendable {
  public let id = UUID().uuidString
  public let attributes: Attributes
  public init(attributes: Attributes) { self.attributes = attributes }
  public static var activityUpdates: AsyncStream<Activity<Attributes>> { AsyncStream { $0.finish() } }
  public static var pushToStartTokenUpdates: AsyncStream<Data> { AsyncStream { $0.finish() } }
  public var pushTokenUpdates: AsyncStream<Data> { AsyncStream { $0.finish() } }
  public var activityStateUpdates: AsyncStream<ActivityState> { AsyncStream { $0.finish() } }
}
