// swift-tools-version: 5.9
import PackageDescription

let package = Package(
  name: "herald_flutter",
  platforms: [.iOS("15.0")],
  products: [.library(name: "herald-flutter", targets: ["herald_flutter"])],
  targets: [.target(name: "herald_flutter")]
)
