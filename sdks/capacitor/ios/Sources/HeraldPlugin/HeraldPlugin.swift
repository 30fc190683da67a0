import Capacitor
import Foundation

/// Herald for Capacitor (https://capacitorjs.com/docs/plugins/ios). The app delegate must hand on Apple's answers about the address, as Capacitor's own
/// template for pushes does.
@objc(HeraldPlugin)
public class HeraldPlugin: CAPPlugin, CAPBridgedPlugin {
  public let identifier = "HeraldPlugin"
  public let jsName = "Herald"
  public let pluginMethods: [CAPPluginMethod] = [CAPPluginMethod(name: "call", returnType: CAPPluginReturnPromise)]

  override public func load() {
    let center = NotificationCenter.default
    center.addObserver(self, selector: #selector(registered), name: .capacitorDidRegisterForRemoteNotifications, object: nil)
    center.addObserver(self, selector: #selector(failed), name: .capacitorDidFailToRegisterForRemoteNotifications, object: nil)
    DispatchQueue.main.async { HeraldPushes.shared.begin() }
  }

  @objc func call(_ call: CAPPluginCall) {
    let name = call.getString("name") ?? ""
    if name == "listen" {
      DispatchQueue.main.async {
        HeraldPushes.shared.listen { [weak self] event, about in
          self?.notifyListeners("event", data: ["name": event, "event": about], retainUntilConsumed: true)
        }
      }
      return call.resolve()
    }
    Task { @MainActor in
      HeraldPushes.shared.call(name, given: call.getObject("given") ?? [:]) { answer, code, message, status in
        if let code { call.reject(message ?? code, code, nil, ["status": status]) } else { call.resolve(["answer": answer ?? NSNull()]) }
      }
    }
  }

  @objc func registered(_ notification: NSNotification) {
    guard let address = notification.object as? Data else { return }
    DispatchQueue.main.async { HeraldPushes.shared.registered(address) }
  }

  @objc func failed(_ notification: NSNotification) {
    guard let error = notification.object as? Error else { return }
    DispatchQueue.main.async { HeraldPushes.shared.failed(error) }
  }
}
