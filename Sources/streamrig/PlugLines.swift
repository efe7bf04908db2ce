import RigEmulator
import RigModel

/// Tells the program that holds an emulated device's bus what is to go wrong there, and leaves it to that.
struct PlugLines: PlugBackend {
  func perform(_ fault: PlugFault) async { Output.print(fault.json.text) }
  func restore() { Output.print(#"{"plug":"restore"}"#) }
}
