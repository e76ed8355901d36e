#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Brings the SDK of the Model Context Protocol into DIRECTORY/node_modules.
# usage: fetch.sh DIRECTORY     exit 77: they cannot be fetched here
set -eu

exec "$(dirname "$0")/../unpack_packages.sh" "$1" "@modelcontextprotocol/sdk" <<END
@modelcontextprotocol/sdk 1.12.0 af5381c01e1825df5a786e64d6a7e2867867a26973a6230fc8a14f3d56321fcb
zod 3.24.4 b060ad48003e050a18fdd5d5cb8214a099998e16fd0ed43776fb655ac0c4b5ca
ajv 6.12.6 9975345b80dbf809b9bfe0c698e45c0d5223c281d3b258c74528ccfc6d13134a
fast-deep-equal 3.1.3 b019a0980f27638dc3f85836b0e478f188e00d7a6e5852c0819fa86f56e47b8f
fast-json-stable-stringify 2.1.0 1e2df822c43e0a2b448e5df79bf8e6d3e085c86e30456cd383a2f96215fd1687
json-schema-traverse 0.4.1 f735add93641842e13096c8b3239f54e9b0b10e8ffd8a377400f4d61eabec065
uri-js 4.4.1 5612de52afe83da73e66b519e83aa56aa81151c844b90bcf8e045df5ecec8d2d
punycode 2.3.1 e4ce59f9fbac44349abab87279ab658f6b4614916bec5e088ae3be9323e193bb
cross-spawn 7.0.6 188c320cdc413adfec03098fda72af7a9b02152ba13d3a8f87f172d93ced38ea
path-key 3.1.1 4b8999acb914830edcd3c5b8fec632b32c6bc759ac3edc86336f5a9e08ba7b92
shebang-command 2.0.0 9acba5bd18a51e9cdf5898380e4df63f803e1844def64ae1a46f88cff86d556e
shebang-regex 3.0.0 fedbabaa6db26c6be0183f82777dfa852d59a62f8885de93bd32ebc28758958f
which 2.0.2 a13adf5fddeb769655edce551e81fbb11904b9c9be76d95e41da8c4c499d4edc
isexe 2.0.0 47cfe872e088e28c53b736fef305324b57cc1cfc9f72a9b0f769f92731cb8359
END
